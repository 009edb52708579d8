#!/usr/bin/env bash
# TITLE: Scilab's `imrep2ss` gives another pole than that of the exact impulse response of a first-order system
# GUESS: 1, 0.9, 0.81, ... in eight samples has the pole 0.9, and the third sample comes back as 0.81
# SEEN: 0.7404 and 0.5482, without a message: a 0 is put where the response goes on, so the pole is right only if the response has died out
# VERSIONS: scilab-cli=6.1.1+dfsg2-6
# MATTERS: a lightly damped arm identified from a short record seems to be damped far more
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get update --quiet=2
libraries="libblas3 libcurl4 libfftw3-double3 libgfortran5 libhdf5-103-1 libhdf5-hl-100 liblapack3 libncurses6 libpcre3 libxml2"
missing=$(apt-get install --simulate --quiet=2 --no-install-recommends $libraries | awk '/^Inst/ {print $2}')
scilab="scilab-cli=6.1.1+dfsg2-6 scilab-minimal-bin=6.1.1+dfsg2-6 scilab-data=6.1.1+dfsg2-6"
apt-get download --quiet=2 -o APT::Sandbox::User=root $scilab $missing
for package in *.deb; do dpkg -x "$package" root; done
shared=$folder/root/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$folder/root/usr/lib/scilab:$shared:$shared/lapack:$shared/blas:$folder/root/lib/$(uname -m)-linux-gnu
export SCI=$folder/root/usr/share/scilab HOME=$folder
cat > seen.sce <<'SCILAB'
mode(-1);
POLE = 0.9;
is_as_seen = %t;
printf("Scilab %s\n", strcat(string(getversion("scilab")(1:3)), "."));
for samples = [8, 16, 128]
    model = imrep2ss(POLE.^(0:samples - 1));
    pole = spec(model.A);
    third = model.C * model.A^2 * model.B;
    n = samples / 2; // singular vector 1, a, a^2, ... of n samples, shifted by one against itself, with a 0 at the end
    shifted = POLE * (1 - POLE^(2 * n - 2)) / (1 - POLE^(2 * n));
    printf("%d samples: pole %.6f, closed form %.6f, with a 0 at the end %.6f; third sample %.6f, closed form %.6f\n", ..
        samples, pole, POLE, shifted, third, POLE^2);
    is_as_seen = is_as_seen & size(pole, "*") == 1 & abs(pole - shifted) < 1e-9 & abs(third - shifted^2) < 1e-9;
end
if is_as_seen then exit(0), else exit(1), end
SCILAB
"$folder/root/usr/bin/scilab-cli-bin" -nb -nouserstartup -quit -f seen.sce < /dev/null

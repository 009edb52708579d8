#!/usr/bin/env bash
# TITLE: Octave's `zp2sos` turns Butterworth filters into sections that `sosfilt` filters to NaN
# GUESS: the impulse response of `butter (2, 0.3)` by second-order sections is 0.1311, 0.3603, 0.3648, 0.1747, as that by `filter`
# SEEN: NaN NaN NaN NaN, without a message: real zeros and poles become sections that start with zeros, and `sosfilt` divides by the first
# VERSIONS: octave=7.3.0-2 octave-signal=1.4.3-1
# MATTERS: speeds and torques filtered in sections, as is good practice, are lost
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get update --quiet=2
libraries="libarpack2 libblas3 libcholmod3 libcurl3-gnutls libcxsparse3 libfftw3-double3 libfftw3-single3 libfontconfig1 libfreetype6
  libgfortran5 libgl2ps1.4 libglu1-mesa libgomp1 libgraphicsmagick++-q16-12 libhdf5-103-1 liblapack3 libpcre3 libqrupdate1 libreadline8 libspqr2
  libumfpack5 libx11-6"
missing=$(apt-get install --simulate --quiet=2 --no-install-recommends $libraries | awk '/^Inst/ {print $2}')
apt-get download --quiet=2 -o APT::Sandbox::User=root octave=7.3.0-2 octave-common=7.3.0-2 octave-signal=1.4.3-1 $missing
for package in *.deb; do dpkg -x "$package" root; done
shared=$folder/root/usr/lib/$(uname -m)-linux-gnu
old=$folder/root/usr/lib:$folder/root/lib/$(uname -m)-linux-gnu # where some packages still put their libraries
export LD_LIBRARY_PATH=$shared/octave/7.3.0:$shared:$shared/lapack:$shared/blas:$old OCTAVE_HOME=$folder/root/usr HOME=$folder
cat > seen.m <<'OCTAVE'
addpath (glob ("root/usr/share/octave/packages/signal-*"){1});
addpath (glob ("root/usr/lib/*/octave/packages/signal-*/*"){1});
printf ("Octave %s with signal 1.4.3\n", version ());
impulse = [1, zeros(1, 7)];
is_as_seen = true;
for order = 1:4
  [b, a] = butter (order, 0.3);
  [z, p, k] = butter (order, 0.3);
  [sections, gain] = zp2sos (z, p, k);
  seen = gain * sosfilt (sections, impulse);
  printf ("order %d: by sections%s; by filter%s\n", order, sprintf (" %.4f", seen(1:4)), sprintf (" %.4f", filter (b, a, impulse)(1:4)));
  is_as_seen = is_as_seen && all (isnan (seen));
endfor
% order 2 by hand: bilinear transform of 1/(s^2 + sqrt(2) s + 1), first two samples k and k (2 - a1)
c = tan (0.15 * pi);
k = c^2 / (1 + sqrt (2) * c + c^2);
hand = [k, k * (2 - 2 * (c^2 - 1) / (1 + sqrt (2) * c + c^2))];
[b, a] = butter (2, 0.3);
printf ("order 2, closed form: %.4f %.4f\n", hand);
one = sosfilt ([b, a], impulse); % a section written by hand passes
is_as_seen = is_as_seen && max (abs (one(1:2) - hand)) < 1e-12;
exit (double (! is_as_seen))
OCTAVE
"$folder/root/usr/bin/octave-cli" --norc --no-history --quiet seen.m

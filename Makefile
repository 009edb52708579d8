# Each target makes its own virtual environment in .venv. PyBullet has wheels up to Python 3.11 on
# Linux x86-64 and compiles for about seven minutes on 3.12 and 3.13, so 3.11 is taken first.
USABLE := import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3; do \
	$$python -c '$(USABLE)' 2>/dev/null && { echo $$python; break; }; done)
BIN := .venv/bin
# As pip does for what it installs, but not for a package that it links.
COMPILE := $(BIN)/python -m compileall -q sim

.PHONY: demo test docs verify bench mutations explore adams measured coverage-of-intervals coverage lint layers house \
	work-bounds meshes kills mjcf-models fuzz findings readings full-disk install-check action-check studio-pictures clean

demo: .venv/run.stamp
	$(BIN)/sim run ur10_step

test: .venv/test.stamp
	$(BIN)/python -m pytest -n auto

GALLERY := docs/build/gallery/cards.json
MANUAL := docs/build/verification.md
SHOWN := $(shell find sim scenarios verification urdf meshes results/baselines tools/gallery.py -type f ! -path '*/__pycache__/*')

docs: .venv/test.stamp $(GALLERY) $(MANUAL)
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --nitpicky --quiet --fresh-env --write-all \
		docs docs/build/html
	@echo "docs/build/html/index.html"

$(GALLERY): $(SHOWN) | .venv/test.stamp
	$(BIN)/python -m tools.gallery docs/build/gallery

$(MANUAL): $(SHOWN) | .venv/test.stamp
	$(BIN)/python -m tools.verification_manual $@

# Every case of the verification manual, by the model and both engines: a minute and a half.
verify: .venv/test.stamp
	mkdir -p build
	$(BIN)/sim verify --junit build/verify.xml --page build/verify.html

# make bench SUBJECTS="free_motion growth" ROUNDS=7; about a quarter of an hour, on a machine at rest.
ROUNDS ?= 5
bench: .venv/bench.stamp
	$(BIN)/python -m benchmarks $(SUBJECTS) --rounds $(ROUNDS)

mutations: .venv/test.stamp
	SIM_ALL_MUTATIONS=1 $(BIN)/python -m pytest -n auto tests/mutations

explore: .venv/test.stamp
	SIM_EXPLORE=1 $(BIN)/python -m pytest -n auto tests

# What ADAMS itself computed, which is no part of this project: docs/adams_cases.md.
adams: .venv/test.stamp
	SIM_ADAMS_DATA=$(DATA) $(BIN)/python -m pytest tests/decks/check_adams_data.py

# A real robot's log, which is no part of the installed project: docs/howto/measured.md.
measured: .venv/test.stamp
	SIM_MEASURED_DATA=$(DATA) $(BIN)/python -m pytest tests/identification/check_measured_data.py

coverage-of-intervals: .venv/test.stamp
	$(BIN)/python -m tools.identification_coverage --mass 1.5
	$(BIN)/python -m tools.identification_coverage --mass 0

coverage: .venv/test.stamp
	$(BIN)/python -m pytest -n auto --cov=sim --cov-report=term:skip-covered

lint: .venv/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# `house` is its former name.
layers house: .venv/test.stamp
	$(BIN)/python tools/layers.py

# What a commit that is allowed to cost more runs, and says why (tests/test_work_counts.py).
work-bounds: .venv/test.stamp
	SIM_FAST=0 $(BIN)/python -m tests.helpers.work_counts --update

meshes: .venv/test.stamp
	$(BIN)/python -m tools.meshes

kills: .venv/test.stamp
	$(BIN)/python -m tools.kills

# All MJCF files of other packages, as they are read here, against MuJoCo: 280 MB, five minutes.
MJCF_PACKAGES := robosuite==1.5.2 dm_control==1.0.50 gymnasium==1.4.0 gymnasium-robotics==1.4.2 \
	metaworld==3.1.1 openarm-mujoco==2.3.0
mjcf-models: .venv/test.stamp
	test -d build/mjcf || { $(BIN)/python -m pip download --quiet --no-deps --dest build/mjcf.packages \
		$(MJCF_PACKAGES) && mkdir build/mjcf && for file in build/mjcf.packages/*.whl; do \
		$(BIN)/python -m zipfile -e "$$file" "build/mjcf/$$(basename "$$file")"; done && \
		tar -xf build/mjcf.packages/*.tar.gz -C build/mjcf; }
	$(BIN)/python -m tools.mjcf_models build/mjcf

# Pictures of the tutorial docs/tutorial/without_code.md, by Chromium.
studio-pictures: .venv/test.stamp
	$(BIN)/python -m tools.studio_pictures

full-disk: .venv/test.stamp
	$(BIN)/python -m tools.full_disk

# The steps of action.yml as they are written, in empty environments.
action-check: .venv/test.stamp
	$(BIN)/python -m tools.action_check

install-check: .venv/test.stamp
	$(BIN)/python -m tools.install_check

# make fuzz MINUTES=60 TARGET=urdf; where there is no wheel of atheris it goes by outcomes instead.
MINUTES ?= 1
fuzz: .venv/test.stamp
	$(BIN)/python -m pip install --quiet --only-binary atheris --editable '.[fuzz]' || true
	$(BIN)/python -m tools.fuzz --minutes $(MINUTES) $(if $(TARGET),--target $(TARGET)) \
		$(if $(SEED),--seed $(SEED))

# What other programs do on valid input, each in an environment of its own: findings/README.md.
findings:
	@failed=; for script in findings/*.sh; do echo "$$script"; bash "$$script" || failed="$$failed $$script"; done; \
	test -z "$$failed" || { echo "changed:$$failed"; exit 1; }

# What other programs make of features of a URDF, an MJCF and an SDF: tools/readings, in an environment with all of them.
readings:
	test -d build/readings || python3.11 -m venv build/readings
	build/readings/bin/python -m pip install --quiet --editable '.[mujoco]' drake==1.51.1 newton==1.8.0 trimesh \
		roboticstoolbox-python==1.5.0 pin==4.1.0
	build/readings/bin/python -m tools.readings

clean:
	rm -rf .venv

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11, 3.12 or 3.13 with venv found; \
	install one (Debian: apt install python3 python3-venv) or say make PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/run.stamp: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[mujoco,studio]'
	$(COMPILE)
	touch $@

.venv/bench.stamp: .venv/test.stamp
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	touch $@

.venv/test.stamp: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[test,dev,docs]'
	$(COMPILE)
	touch $@ .venv/run.stamp

"""The window that `sim doctor` tries, on a display with OpenGL and on one without."""

from sim.cli.doctor import machine


def test_a_window_that_works_is_found(display):
    libraries, shown, window = machine.windows()
    assert libraries.works
    assert (shown.works, shown.found) == (True, display.name)
    assert window.works, window


def test_a_display_without_opengl_has_no_window_and_the_finding_says_what_to_do(start_display):
    start_display("-extension", "GLX")
    _, shown, window = machine.windows()
    assert shown.works
    assert not window.works
    assert "apt-get install" in window.remedy

"""The page of a run: one HTML file with the robot, the curves and the verdict."""

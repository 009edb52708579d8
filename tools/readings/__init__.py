"""What other programs make of features of URDF files: measured, and compared with the table."""

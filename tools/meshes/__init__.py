"""Models of the robots' meshes, built from the joints of their URDFs."""

"""The robots' meshes, modelled from the joints of their URDFs."""

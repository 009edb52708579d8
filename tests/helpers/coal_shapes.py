"""Shapes of contacts as those of Coal."""

import coal


def coal_shape(one):
    """The same shape by Coal; of a mesh the convex hull of its points."""
    x, y, z = one.size
    if one.kind == "mesh":
        points = coal.StdVec_Vec3s()
        points.extend(list(one.hull.points))
        return coal.Convex.convexHull(points, True, "Qt")
    return {
        "sphere": lambda: coal.Sphere(x), "capsule": lambda: coal.Capsule(x, 2 * y),
        "cylinder": lambda: coal.Cylinder(x, 2 * y),
        "box": lambda: coal.Box(2 * x, 2 * y, 2 * z),
        "plane": lambda: coal.Halfspace(0, 0, 1, 0),
    }[one.kind]()  # fmt: skip

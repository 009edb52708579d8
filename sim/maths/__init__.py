"""SE(3) and numerics, independent of robots."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.maths.arrays import Array, Mask, columns, evaluate_in_batches, frozen
    from sim.maths.newton import newton, pseudo_inverse
    from sim.maths.quadrature import Estimate, cumulative, integral
    from sim.maths.rotation_vectors import (
        between_vectors,
        nearest_vectors,
        other_vectors,
        position_rates,
        quaternion_of_vector,
        quaternions_of_vectors,
        rate_of_vector,
        rates_of_vectors,
        rotations_of_vectors,
        short_vectors,
        steady_quaternions,
        vectors_of_quaternions,
    )
    from sim.maths.rotations import (
        inverse_pose,
        pose,
        quaternion_xyzw,
        rotation_from_rpy,
        rpy_from_rotation,
        skew,
    )
    from sim.maths.screws import exp_pose, log_pose, log_rotation
else:
    load_names_on_use(__name__)

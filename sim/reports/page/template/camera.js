// From where to look: standard views that all of a motion fills, and a camera that follows the tool.

import { Vector3 } from 'three';

export const VIEWS = { iso: [0.72, 0.56, 0.42], front: [1, 0, 0.03], side: [0, 1, 0.03], top: [0.001, 0, 1] };
export const ANGLE = 30; // over the height of the picture [degrees]
const UP = new Vector3(0, 0, 1);

/**
 * Target and distance from which points are just inside the free part of a picture.
 *
 * A point `x` beside the axis and `z` behind the target is seen at (x - target) / (d + z). That it lies
 * between two edges bounds the target from both sides, by lines in d; they meet at the least distance.
 * `free` is left, right, lower and upper edge, from -1 to 1.
 */
export function framed(points, toward, aspect, free) {
  const forward = toward.clone().normalize().negate();
  const right = new Vector3().crossVectors(forward, UP).normalize();
  const up = new Vector3().crossVectors(right, forward);
  const along = (axis) => points.map((p) => p[0] * axis.x + p[1] * axis.y + p[2] * axis.z);
  const z = along(forward);
  const behind = (Math.min(...z) + Math.max(...z)) / 2;
  const half = Math.tan((ANGLE / 2) * (Math.PI / 180));
  const side = (x, low, high) => {
    const least = Math.max(...x.map((v, k) => v - high * (z[k] - behind)));
    const most = Math.min(...x.map((v, k) => v - low * (z[k] - behind)));
    return { distance: (least - most) / (high - low), middle: (d) => (least - high * d + most - low * d) / 2 };
  };
  const [left, rightmost, lower, upper] = free;
  const sides = [side(along(right), left * half * aspect, rightmost * half * aspect), side(along(up), lower * half, upper * half)];
  const distance = Math.max(...sides.map((one) => one.distance), 1e-6);
  const target = forward.clone().multiplyScalar(behind);
  target.addScaledVector(right, sides[0].middle(distance)).addScaledVector(up, sides[1].middle(distance));
  return { target, distance };
}

/** Moves camera and target together, so that the target is at a place; direction and distance stay. */
export function follow({ camera, controls }, place) {
  camera.position.add(place).sub(controls.target);
  controls.target.copy(place);
  camera.lookAt(place);
}

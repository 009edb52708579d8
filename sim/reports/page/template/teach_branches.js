// Every branch of an arm's inverse kinematics in closed form, with the names and formulas of sim/kinematics/inverse.
//
// An arm's own angles are a = K q + k, for the joints that move the tool. Its first axis is z of the arm's frame; from there the
// arm is seen in a plane, radial and up. Complex numbers are [radial, up].

const FREE = 1e-11; // m or 1: below it a direction is rounding, and the joint that turns it is free
const NEAR_AXIS = 1e-4; // m; nearer to the first axis the tool axis gives the arm's plane better than its point
const ZERO = 1e-9; // of a sine: two branches meet there, and the first gives the name

const turned = (s) => (s > 0 ? s - Math.PI : s + Math.PI);
const times = (rows, v) => rows.map((row) => row.reduce((sum, x, k) => sum + x * v[k], 0));
const column = (rows, k) => rows.map((row) => row[k]);

/** Rotation of the tool's frame, turned so that it is a product of plain rotations, and the wrist's centre, in the arm's frame. */
function inArmFrame({ T_0a, E, tool }, pose) {
  const back = [0, 1, 2].map((k) => column(T_0a, k).slice(0, 3));
  const plain = [0, 1, 2].map((k) => times(pose.map((row) => row.slice(0, 3)), column(E, k)));
  const R = back.map((axis) => plain.map((one) => times([axis], one)[0]));
  const p = times(back, pose.map((row, k) => row[3] - T_0a[k][3]));
  return { R, p: p.map((x, k) => x - times([R[k]], tool)[0]) };
}

/** The point that the arm's plane goes through: a five-axis tool over the first axis leaves only its direction. */
function throughPoint({ name, lateral }, R, p) {
  const size = Math.hypot(p[0], p[1]);
  const byAxis = name === 'five_axis' && !lateral && size < NEAR_AXIS && Math.hypot(R[0][2], R[1][2]) > size;
  return byAxis ? column(R, 2) : p;
}

/** Both ways to turn the arm's plane through a point: s x - c y = lateral, the radial coordinate c x + s y positive first. */
function shoulders([x, y], lateral, hint) {
  const rho = Math.hypot(x, y);
  const gap = Math.max(Math.abs(lateral) - rho, 0);
  if (rho <= FREE) return [hint, hint + Math.PI].map((phi) => ({ c: Math.cos(phi), s: Math.sin(phi), gap }));
  const d = Math.sign(lateral) * Math.min(rho, Math.abs(lateral));
  const root = Math.sqrt((rho - d) * (rho + d));
  return [root, -root].map((r) => ({ c: (x * r - y * d) / rho ** 2, s: (y * r + x * d) / rho ** 2, gap }));
}

/** Both ways to close two links on a point seen from the shoulder, the elbow up first; out of reach they point at it. */
function elbows([radial, up], [a, b], hint, side) {
  const far = Math.hypot(radial, up);
  const [fold, end] = [far - Math.abs(a - b), a + b - far];
  const gap = Math.max(0, -fold, -end);
  const cos2 = (Math.max(0, fold) * (far + Math.abs(a - b))) / (4 * a * b);
  const sin2 = (Math.max(0, end) * (far + a + b)) / (4 * a * b);
  const sin = 2 * Math.sqrt(cos2 * sin2);
  const [bend, beside, towards] = [Math.atan2(sin, cos2 - sin2), Math.atan2(b * sin, a - b + 2 * b * cos2), Math.atan2(up, radial)];
  const left = { first: far <= FREE ? hint : towards + beside, bend: -bend, gap };
  const right = { first: far <= FREE ? hint : towards - beside, bend, gap };
  return side ? [right, left] : [left, right]; // over its back an arm has its elbow up on the other side
}

/** Both ways to turn a wrist about three axes, by its angles; where first and last are one axis there is one way. */
const wrists = (first, middle, last) => (Math.abs(Math.sin(middle)) <= FREE ? [[first, middle, last]] : [[first, middle, last], [turned(first), -middle, turned(last)]]);

// Of each family: angles and gaps of the branches for one way to turn the arm's plane, whose rows of R are radial, n and up.
const FAMILIES = {
  ur({ offset, lengths, hand }, { radial, n, up }, [r, z], hint, side) {
    const s5 = Math.hypot(n[0], n[1]);
    const phi6 = s5 <= FREE ? hint[5] : Math.atan2(-n[1], n[0]);
    const [c6, s6] = [Math.cos(phi6), Math.sin(phi6)];
    const phi234 = Math.atan2(-(radial[0] * s6 + radial[1] * c6), up[0] * s6 + up[1] * c6);
    const ways = wrists(phi234, Math.atan2(s5, n[2]), phi6);
    return ways.flatMap(([along, five, six], wrist) => {
      const [c, s] = [Math.cos(along), Math.sin(along)];
      const at = [r - offset - c * hand[0] + s * hand[1], z - s * hand[0] - c * hand[1]];
      return elbows(at, lengths, hint[1], side).map(({ first, bend, gap }, elbow) => ({ elbow, wrist, gap, a: [first, bend, along, five, six] }));
    });
  },
  spherical_wrist({ offset, lengths, forearm }, { radial, n, up }, [r, z], hint, side) {
    return elbows([r - offset, z], lengths, hint[1], side).flatMap(({ first, bend, gap }, elbow) => {
      const [c, s] = [Math.cos(first + bend + forearm), Math.sin(first + bend + forearm)];
      const x = radial.map((v, k) => c * up[k] - s * v);
      const s5 = Math.hypot(x[2], n[2]);
      const phi4 = s5 <= FREE ? hint[3] : Math.atan2(n[2], x[2]);
      const [c4, s4] = [Math.cos(phi4), Math.sin(phi4)];
      const phi6 = Math.atan2(c4 * n[0] - s4 * x[0], c4 * n[1] - s4 * x[1]);
      const ways = wrists(phi4, Math.atan2(s5, c * radial[2] + s * up[2]), phi6);
      return ways.map((angles, wrist) => ({ elbow, wrist, gap, a: [first, bend, ...angles] }));
    });
  },
  five_axis({ offset, lengths, hand }, { radial, n, up }, [r, z], hint, side) {
    const along = Math.atan2(up[2], radial[2]);
    const [c, s] = [Math.cos(along), Math.sin(along)];
    const phi5 = Math.atan2(s * radial[1] - c * up[1], c * up[0] - s * radial[0]);
    const at = [r - offset - c * hand[0] + s * hand[1], z - s * hand[0] - c * hand[1]];
    return elbows(at, lengths, hint[1], side).map(({ first, bend, gap }, elbow) => ({ elbow, wrist: 0, gap: gap + Math.abs(n[2]), a: [first, bend, along, phi5] }));
  },
  palletizer({ base, lengths }, { R, up }, [r, z], hint, side) {
    const yaw = Math.atan2(R[1][0] - R[0][1], R[0][0] + R[1][1]);
    const lean = Math.hypot(R[0][2], R[1][2]) + (up[2] < 0 ? 1 : 0);
    return elbows([r - base[0], z - base[1]], lengths, hint[1], side).map(({ first, bend, gap }, elbow) => ({ elbow, wrist: 0, gap: gap + lean, a: [first, bend, yaw] }));
  },
};

const label = ({ words }, ...which) => which.map((k, of) => words[of][k]).filter(Boolean).join(', ');

/**
 * Joints of every branch for a pose (3 x 4 by rows), each with its name and by how much it misses the pose
 * (`gap`, 0 where it reaches it). Where an angle is free it is as in `q`.
 */
export function branchesOf(family, pose, q) {
  const { R, p } = inArmFrame(family, pose);
  const hint = times(family.K, family.moving.map((k) => q[k])).map((x, k) => x + family.k[k]);
  return shoulders(throughPoint(family, R, p), family.lateral, hint[0]).flatMap(({ c, s, gap }, side) => {
    const rows = { R, radial: R[0].map((x, k) => c * x + s * R[1][k]), n: R[0].map((x, k) => s * x - c * R[1][k]), up: R[2] };
    const found = FAMILIES[family.name](family, rows, [c * p[0] + s * p[1], p[2]], hint, side);
    return found.map((one) => {
      const there = [...q];
      const angles = [Math.atan2(s, c), ...one.a].map((a, k) => a - family.k[k]);
      times(family.back, angles).forEach((x, k) => { there[family.moving[k]] = x - 2 * Math.PI * Math.round(x / (2 * Math.PI)); });
      return { label: label(family, side, one.elbow, one.wrist), q: there, gap: one.gap + gap };
    });
  });
}

/** The name of the branch that an arm stands in. */
export function branchAt(family, pose, q) {
  const { R, p } = inArmFrame(family, pose);
  const [x, y] = throughPoint(family, R, p);
  const a = times(family.K, family.moving.map((k) => q[k])).map((v, k) => v + family.k[k]);
  const side = Math.cos(a[0]) * x + Math.sin(a[0]) * y < -ZERO ? 1 : 0;
  const elbow = Math.sin(a[2]) * (side ? -1 : 1) > ZERO ? 1 : 0;
  const wrist = family.words[2].length > 1 && Math.sin(a[4]) < -ZERO ? 1 : 0;
  return label(family, side, elbow, wrist);
}

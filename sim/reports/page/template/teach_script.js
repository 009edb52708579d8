// Taught poses as a motion that goes from each to the next by STEP5 and rests there: for the page, and as a script for `sim run`.

import { follow } from './teach_loops.js';

const KNOTS = 37; // places of each move at which the closed loops are known; prime, as singular poses are often at simple shares
const SAME = 1e-6; // rad and m
const TAU = 2 * Math.PI;

/** STEP5 of ADAMS: from 0 at `begin` to 1 at `end`. */
function step5(t, begin, end) {
  const z = Math.min(Math.max((t - begin) / (end - begin), 0), 1);
  return z * z * z * (10 + z * (6 * z - 15));
}

/** The motion that the script runs: how long it takes [s], and at a time which move it is in and the share of it that is done. */
function moves(count, { move, hold }) {
  const duration = (count - 1) * (move + hold);
  const at = (t) => {
    const n = Math.min(Math.max(Math.floor(t / (move + hold)), 0), count - 2);
    return [n, step5(t - n * (move + hold), 0, move)];
  };
  return { duration, at };
}

const between = (a, b, share) => a.map((x, k) => x + (b[k] - x) * share);

/** The motion through poses: how long it takes [s], and the joints at a time. */
export function motionOf(poses, times) {
  const { duration, at } = moves(poses.length, times);
  return { duration, at: (t) => { const [n, share] = at(t); return between(poses[n].q, poses[n + 1].q, share); } };
}

/**
 * The way through poses with the loops closed, from the first pose on: the joints at even shares of each move. `apart` is the reason why
 * it ends there: a move `n` on whose way (a `share` of it) they close no farther, or at whose end they close in
 * another way than was taught.
 */
export function closedWay(arm, poses) {
  const start = arm.q;
  const knots = [];
  let apart = null;
  arm.place(poses[0].q);
  for (let n = 0; n < poses.length - 1 && !apart; n++) {
    knots.push([arm.q]);
    for (let k = 1; k <= KNOTS && !apart; k++) {
      const share = follow(arm, between(poses[n].q, poses[n + 1].q, k / KNOTS));
      if (share < 1) apart = { n, share: (k - 1 + share) / KNOTS };
      knots[n].push(arm.q);
    }
    const off = arm.rows.map(({ turns }, k) => { const x = arm.q[k] - poses[n + 1].q[k]; return turns ? x - TAU * Math.round(x / TAU) : x; });
    if (!apart && Math.max(...off.map(Math.abs)) > SAME) apart = { n, share: 1 };
  }
  arm.place(start);
  return { knots, apart };
}

/** The motion on such a way. */
export function closedMotion(arm, { knots }, poses, times) {
  const { duration, at } = moves(poses.length, times);
  const there = (t) => {
    const [n, share] = at(t);
    const before = arm.q;
    arm.place(knots[n][Math.floor(share * KNOTS)]);
    follow(arm, between(poses[n].q, poses[n + 1].q, share));
    const q = arm.q;
    arm.place(before);
    return q;
  };
  return { duration, at: there };
}

const number = (x) => `${+x.toPrecision(12)}`;

/** The motion as functions of time by driven joint: angles in degrees, lengths in metres. */
export function functionsOf(rows, poses, { move, hold }) {
  const written = (x, { sliding }) => (sliding ? number(x) : `${number(x * 180 / Math.PI)}d`);
  return Object.fromEntries(rows.map((row, k) => [row, poses.map(({ q }) => q[k])]).filter(([{ passive }]) => !passive).map(([row, values]) => {
    const steps = values.slice(1).map((value, n) => [value - values[n], n * (move + hold)]).filter(([by]) => by);
    return [row.name, [written(values[0], row), ...steps.map(([by, begin]) => `STEP5(time, ${number(begin)}, 0, ${number(begin + move)}, ${written(by, row)})`)].join(' + ')];
  }));
}

/** Text of the script; `poses` have a name and `q` [rad or m] of the joints `rows`, `robot` and `keywords` are how it is loaded. */
export function scriptOf(robot, keywords, rows, poses, { move, hold }) {
  const words = (text) => JSON.stringify(text);
  const chosen = (q, wanted) => q.filter((_, k) => rows[k].passive === wanted);
  const listed = poses.map(({ name, q }) => `    (${words(name)}, [${chosen(q, false).join(', ')}]),`).join('\n');
  const follows = chosen(rows, true).map(({ name }, k) => `${words(name)}: ${chosen(poses[0].q, true)[k]}`);
  const closed = follows.length ? `PASSIVE = {${follows.join(', ')}}  # where the loops close at the first pose\n` : '';
  const driven = follows.length ? '(name for name in robot.joint_names if name not in PASSIVE)' : 'robot.joint_names';
  return `"""Move a robot through taught poses, at rest in each."""

import sim

POSES = [  # positions of the joints [rad or m]
${listed}
]
${closed}

def scenario(move: float = ${move}, hold: float = ${hold}) -> sim.Scenario:
    """Move to the next pose in \`move\` [s] and rest there for \`hold\` [s]."""
    robot = sim.load_robot(${words(robot)}${keywords})
    drives = {}
    for k, joint in enumerate(${driven}):
        values = [float(q[k]) for _, q in POSES]
        steps = [repr(values[0])]
        for n, (before, after) in enumerate(zip(values, values[1:])):
            begin = n * (move + hold)
            steps.append(f"STEP5(time, {begin!r}, 0, {begin + move!r}, {after - before!r})")
        drives[joint] = " + ".join(steps)
    duration = (len(POSES) - 1) * (move + hold)
    return sim.Scenario(robot, sim.JointMotion.displacement(drives${follows.length ? ', q0=PASSIVE' : ''}), duration)


if __name__ == "__main__":
    sim.main(scenario)
`;
}

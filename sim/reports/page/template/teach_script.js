// Taught poses as a motion that goes from each to the next by STEP5 and rests there: for the page, and as a script for `sim run`.

/** STEP5 of ADAMS: from 0 at `begin` to 1 at `end`. */
function step5(t, begin, end) {
  const z = Math.min(Math.max((t - begin) / (end - begin), 0), 1);
  return z * z * z * (10 + z * (6 * z - 15));
}

/** The motion that the script runs: how long it takes [s], and the joints at a time. */
export function motionOf(poses, { move, hold }) {
  const at = (t) => poses[0].q.map((first, k) => poses.slice(1).reduce((x, { q }, n) => {
    const begin = n * (move + hold);
    return x + (q[k] - poses[n].q[k]) * step5(t, begin, begin + move);
  }, first));
  return { duration: (poses.length - 1) * (move + hold), at };
}

/** Text of the script; `poses` have a name and `q` [rad or m], `robot` is how it is loaded. */
export function scriptOf(robot, tool, poses, { move, hold }) {
  const words = (text) => JSON.stringify(text);
  const listed = poses.map(({ name, q }) => `    (${words(name)}, [${q.join(', ')}]),`).join('\n');
  return `"""A robot from pose to pose, as they were taught; at rest in each of them."""

import sim

POSES = [  # positions of the joints [rad or m]
${listed}
]


def scenario(move: float = ${move}, hold: float = ${hold}) -> sim.Scenario:
    """Go to the next pose in \`move\` [s], and stay there for \`hold\` [s]."""
    robot = sim.load_robot(${words(robot)}${tool === null ? '' : `, tool=${words(tool)}`})
    drives = {}
    for k, joint in enumerate(robot.joint_names):
        values = [float(q[k]) for _, q in POSES]
        steps = [repr(values[0])]
        for n, (before, after) in enumerate(zip(values, values[1:])):
            begin = n * (move + hold)
            steps.append(f"STEP5(time, {begin!r}, 0, {begin + move!r}, {after - before!r})")
        drives[joint] = " + ".join(steps)
    duration = (len(POSES) - 1) * (move + hold)
    return sim.Scenario(robot, sim.JointMotion.displacement(drives), duration)


if __name__ == "__main__":
    sim.main(scenario)
`;
}

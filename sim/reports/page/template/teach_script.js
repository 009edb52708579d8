// Taught poses as a scenario: a script for `sim run`, which drives from each to the next by STEP5.

/** Text of the script; `poses` have a name and `q` [rad or m], `robot` is how it is loaded. */
export function scriptOf(robot, tool, poses, move) {
  const words = (text) => JSON.stringify(text);
  const listed = poses.map(({ name, q }) => `    (${words(name)}, [${q.join(', ')}]),`).join('\n');
  return `"""A robot from pose to pose, as they were taught; at rest in each of them."""

import sim

POSES = [  # positions of the joints [rad or m]
${listed}
]


def scenario(move: float = ${move}, hold: float = 0.5) -> sim.Scenario:
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

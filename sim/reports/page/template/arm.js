// A robot that is moved by its joints: pose of the tool, Jacobian.
//
// Poses are 3 x 4 by rows, of the tool frame in the world [m]; joints in rad or m.

import { cross, dot, minus } from './teach_linear.js';

/** The arm of a scene's root: `q` of its independent joints; those that follow move with them, and nothing closes its loops, which `loopsOf` makes of the facts. */
export function armOf(root, facts, { Vector3 }, loopsOf = () => []) {
  const carried = new Map(facts.tree.map((joint) => [joint.name, joint]));
  const moved = []; // the nodes that joints move
  const balls = []; // the nodes that joints turn about any axis, by a rotation vector
  const nodes = new Map(); // of links, by name
  root.traverse((node) => {
    const { link, joint, axis, kind } = node.userData;
    if (link) nodes.set(link, node);
    if (kind === 'spherical') balls.push({ node, rows: ['x', 'y', 'z'].map((axis) => carried.get(`${joint}.${axis}`)) });
    else if (joint) moved.push({ ...carried.get(joint), node, axis: new Vector3(...axis), sliding: kind === 'prismatic', at: node.position.clone() });
  });
  const tool = nodes.get(facts.tool);
  const rows = facts.rows.map((row) => ({ ...row, low: row.low ?? -Infinity, high: row.high ?? Infinity }));
  const arm = { facts, rows, q: rows.map(({ start }) => start), tool, loops: loopsOf(facts.loops, nodes), regular: null, isLooped: rows.some(({ passive }) => passive) };
  const above = new Map(); // of a node: those that move it
  for (const node of new Set([tool, ...arm.loops.flatMap(({ a, b }) => [a, b])])) {
    const all = new Set();
    for (let one = node; one; one = one.parent) all.add(one);
    above.set(node, moved.filter((each) => all.has(each.node)));
  }

  arm.place = (q = arm.q) => {
    arm.q = [...q];
    for (const { node, axis, sliding, at, of, offset } of moved) {
      const value = dot(of, arm.q) + offset;
      if (sliding) node.position.copy(at).addScaledVector(axis, value);
      else node.quaternion.setFromAxisAngle(axis, value);
    }
    for (const { node, rows: of_ball } of balls) {
      const turn = new Vector3(...of_ball.map(({ of, offset }) => dot(of, arm.q) + offset));
      node.quaternion.setFromAxisAngle(turn.clone().normalize(), turn.length());
    }
    root.updateMatrixWorld(true);
    for (const one of moved) {
      one.z = one.axis.clone().transformDirection(one.node.parent.matrixWorld).toArray();
      one.o = one.node.matrixWorld.elements.slice(12, 15);
    }
  };
  arm.pose = () => {
    const e = tool.matrixWorld.elements;
    return [0, 1, 2].map((r) => [e[r], e[4 + r], e[8 + r], e[12 + r]]);
  };
  /** Velocity of a point that a node carries, and of its turning, by the rate of each joint: a column of six a row. */
  arm.rates = (of_node, p) => {
    const columns = arm.rows.map(() => new Array(6).fill(0));
    for (const { z, o, sliding, of } of above.get(of_node)) {
      const column = sliding ? [...z, 0, 0, 0] : [...cross(z, minus(p, o)), ...z];
      of.forEach((share, k) => { if (share) column.forEach((x, r) => { columns[k][r] += share * x; }); });
    }
    return columns;
  };
  arm.jacobian = () => arm.rates(tool, tool.matrixWorld.elements.slice(12, 15));
  arm.place();
  return arm;
}

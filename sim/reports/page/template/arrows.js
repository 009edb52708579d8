// What is drawn into the robot: frames, mass centres, and arrows of torques.

import { AxesHelper, ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3 } from 'three';

export const UP = new Vector3(0, 0, 1);

/** Frames, mass centres and torque arrows, each below the node that it moves with. */
export function addMarks(view, page) {
  const { radius } = view;
  const seen = { depthTest: false, transparent: true, toneMapped: false };
  const ball = new SphereGeometry(0.022 * radius, 20, 14);
  view.comLook = new MeshBasicMaterial({ ...seen, opacity: 0.9 });
  view.torqueLook = new MeshBasicMaterial({ ...seen, opacity: 0.9 });
  const masses = [...view.runs[0].links.values()].map((node) => node.userData.mass ?? 0);
  const heaviest = Math.max(...masses);
  for (const node of view.runs[0].links.values()) {
    const { com, mass, joint, axis } = node.userData;
    if (joint !== undefined || node.userData.link === page.meta.tool) {
      const frame = new AxesHelper(0.11 * radius);
      Object.assign(frame.material, seen);
      frame.renderOrder = 2;
      view.marks.frames.push(frame);
      node.add(frame);
    }
    if (com && mass) {
      const mark = new Mesh(ball, view.comLook);
      mark.position.fromArray(com);
      mark.scale.setScalar(Math.max(0.35, Math.cbrt(mass / heaviest)));
      mark.renderOrder = 3;
      view.marks.coms.push(mark);
      node.add(mark);
    }
    const torque = page.channels.get(`tau.${joint}`);
    if (torque) view.arrows.push(arrow(view, node, torque, axis));
    const force = ['fx', 'fy', 'fz'].map((axis_) => page.channels.get(`reaction.${joint}.${axis_}`));
    if (force.every(Boolean)) view.reactions.push(reaction(view, node, force));
  }
  const largest = Math.max(0, ...view.reactions.map(({ force }) => Math.hypot(...force.map(({ peak }) => peak))));
  for (const one of view.reactions) one.full = largest || 1;
}

/** The force of a joint on its link, in the axes of the link's frame, or of a contact in the world. */
export function reaction(view, node, force) {
  const r = 0.006 * view.radius;
  const group = new Group();
  const shaft = new Mesh(new CylinderGeometry(r, r, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5), view.comLook);
  const head = new Mesh(new ConeGeometry(2.6 * r, 7 * r, 20).rotateX(Math.PI / 2), view.comLook);
  group.add(shaft, head);
  for (const part of group.children) part.renderOrder = 4;
  node.add(group);
  return { group, shaft, head, force };
}

/** A reaction as long as its force is of the largest of all joints, at the time shown. */
export function setReaction(view, page, one) {
  const force = new Vector3(...one.force.map((curve) => page.valueAt(curve, page.state.t)));
  const length = 0.6 * view.radius * (force.length() / one.full);
  one.group.visible = length > 0.01 * view.radius;
  if (!one.group.visible) return;
  one.group.quaternion.setFromUnitVectors(UP, force.normalize());
  one.shaft.scale.z = length;
  one.head.position.z = length;
}

/** A moment is drawn as a vector along its axis with two heads, a force with one. */
function arrow(view, node, torque, axis) {
  const r = 0.006 * view.radius;
  const group = new Group();
  const shaft = new Mesh(new CylinderGeometry(r, r, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5), view.torqueLook);
  const cone = new ConeGeometry(2.6 * r, 7 * r, 20).rotateX(Math.PI / 2);
  const heads = Array.from({ length: torque.unit === 'N' ? 1 : 2 }, () => new Mesh(cone, view.torqueLook));
  group.add(shaft, ...heads);
  for (const part of group.children) part.renderOrder = 4;
  const along = new Vector3(...axis);
  node.add(group);
  const rated = torque.ratings.find(([, value]) => value > 0)?.[1];
  return { group, shaft, heads, along, torque, full: rated ?? (torque.peak || 1), step: 5 * r, turned: [along, along.clone().negate()].map((d) => new Quaternion().setFromUnitVectors(UP, d)) };
}

/** An arrow as long as its torque is of the rated one, or of the largest, at the time shown. */
export function setArrow(view, page, one) {
  const share = page.valueAt(one.torque, page.state.t) / one.full;
  const length = Math.min(1.5, Math.abs(share)) * 0.5 * view.radius;
  one.group.visible = length > 0.01 * view.radius;
  one.group.quaternion.copy(one.turned[share < 0 ? 1 : 0]);
  one.shaft.scale.z = length;
  one.heads.forEach((head, k) => { head.position.z = length - k * one.step; });
}

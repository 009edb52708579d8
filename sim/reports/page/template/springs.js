// Springs and forces between two points, as coils and lines that go along with their markers.

import { GreaterDepth, Group, Vector3 } from 'three';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { UP } from './arrows.js';

const [TURNS, STEPS, BARE] = [10, 20, 0.1]; // windings, points of each, and how much of either end is straight
const BEHIND = 0.3; // how strong one is drawn where something hides it

/** Points of a coil, or of a line, from the origin to one above it. */
function shape(coil, width) {
  const points = [0, 0, 0];
  for (let k = 0; coil && k <= TURNS * STEPS; k += 1) {
    const r = width * Math.min(1, k / STEPS, TURNS - k / STEPS); // the first and the last winding are spirals
    const turn = (2 * Math.PI * k) / STEPS;
    points.push(r * Math.cos(turn), r * Math.sin(turn), BARE + ((1 - 2 * BARE) * k) / (TURNS * STEPS));
  }
  return new LineGeometry().setPositions([...points, 0, 0, 1]);
}

/** What joins the two markers of each force of the page; a marker without a link is in the world. */
export function addSprings({ scene, radius, runs }, page) {
  const end = ({ link, point }) => ({ node: runs[0].links.get(link) ?? null, point: new Vector3(...point) });
  return page.meta.springs.map(({ name, coil, i, j }) => {
    const geometry = shape(coil, 0.022 * radius);
    const group = new Group();
    for (const more of [{}, { depthFunc: GreaterDepth, opacity: BEHIND }]) {
      const line = new Line2(geometry, new LineMaterial({ linewidth: 2.5, transparent: true, depthWrite: false, ...more }));
      line.frustumCulled = false;
      line.renderOrder = 1;
      group.add(line);
    }
    scene.add(group);
    return { name, group, ends: [end(i), end(j)] };
  });
}

const inWorld = ({ node, point }) => (node ? node.localToWorld(point.clone()) : point.clone());

/** Puts each between its markers, as they are at the time shown. */
export function placeSprings(springs) {
  for (const { group, ends } of springs) {
    const [from, to] = ends.map(inWorld);
    const along = to.clone().sub(from);
    const length = along.length();
    group.visible = length > 0;
    group.position.copy(from);
    group.quaternion.setFromUnitVectors(UP, along.divideScalar(length || 1));
    group.scale.set(1, 1, length);
  }
}

/** Where the ends of each are, by its name. */
export const endsOf = (springs) => Object.fromEntries(springs.map(({ name, ends }) => [name, ends.map((one) => inWorld(one).toArray())]));

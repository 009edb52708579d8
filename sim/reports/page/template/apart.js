// The line between the nearest points of two links, at the time shown.

import { Mesh, MeshBasicMaterial, SphereGeometry } from 'three';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';

const seen = { depthTest: false, transparent: true, toneMapped: false };

/** The line and a ball at each of its ends; null where the run says nothing of distances. */
export function addApart({ scene, radius }, page) {
  const ends = [page.paths.nearest_a, page.paths.nearest_b];
  if (!ends.every(Boolean)) return null;
  const look = new MeshBasicMaterial(seen);
  const line = new Line2(new LineGeometry(), new LineMaterial({ ...seen, linewidth: 3 }));
  const ball = new SphereGeometry(0.007 * radius, 16, 12);
  const balls = ends.map(() => new Mesh(ball, look));
  for (const part of [line, ...balls]) {
    part.renderOrder = 6;
    part.frustumCulled = false;
    scene.add(part);
  }
  return { ends, line, balls, look };
}

/** Puts it where the links are nearest at the time shown; in the colour of failures where they overlap. */
export function placeApart({ ends, line, balls, look }, page, shown) {
  for (const part of [line, ...balls]) part.visible = shown;
  if (!shown) return;
  const { every, count } = ends[0];
  const k = page.clamp(Math.round(page.sampleAt(page.state.t) / every), 0, count - 1);
  const points = ends.map(({ points }) => [...points.slice(3 * k, 3 * k + 3)]);
  line.geometry.setPositions(points.flat());
  balls.forEach((ball, end) => ball.position.fromArray(points[end]));
  const distance = page.channels.get('clearance.links');
  const colour = page.colour(distance && page.valueAt(distance, page.state.t) <= 0 ? 'bad' : 'ok');
  look.color.set(colour);
  line.material.color.set(colour);
}

// The floor below all that a run reaches, and what the robot stands on.

import { CylinderGeometry, GridHelper, Mesh, MeshStandardMaterial, PlaneGeometry, ShadowMaterial } from 'three';

const SEEN_THROUGH = { transparent: true, opacity: 0.3, depthWrite: false };

/** Grid, the plane that shows shadows, and a pedestal where the base is above the floor. */
export function addFloor(view, { centre, floor, base, pedestal, pierced }) {
  const { scene, radius } = view;
  const power = 10 ** Math.floor(Math.log10(radius / 3));
  view.cell = [1, 2, 5, 10].map((m) => m * power).find((c) => c >= radius / 5);
  const count = 2 * Math.ceil((2 * radius) / view.cell);
  const middle = [0, 1].map((k) => Math.round(centre[k] / view.cell) * view.cell);
  view.grid = new GridHelper(count * view.cell, count);
  view.grid.rotation.x = Math.PI / 2;
  view.grid.position.set(...middle, floor);
  view.grid.material.transparent = true;
  view.grid.material.depthWrite = false;
  const shade = new Mesh(new PlaneGeometry(8 * radius, 8 * radius), new ShadowMaterial({ opacity: 0.16, depthWrite: false }));
  shade.receiveShadow = true;
  shade.position.set(...middle, floor - 0.001 * radius);
  scene.add(view.grid, shade);
  if (!pedestal) return;
  const height = base[2] - floor;
  const drum = new Mesh(new CylinderGeometry(pedestal, pedestal, height, 48).rotateX(Math.PI / 2), new MeshStandardMaterial({ roughness: 0.95, ...(pierced ? SEEN_THROUGH : {}) }));
  drum.position.set(base[0], base[1], floor + height / 2 - 0.0005 * radius);
  drum.castShadow = drum.receiveShadow = !pierced;
  view.pedestal = drum;
  scene.add(drum);
}

// A robot that a person poses, in three dimensions: that of the teach page and of the studio.

import { Box3, Color, Vector3 } from 'three';
import { stageOf } from './stage.js';

const cornersOf = ({ min, max }) => [0, 1, 2, 3, 4, 5, 6, 7].map((k) => ['x', 'y', 'z'].map((axis, bit) => (k & (1 << bit) ? max : min)[axis]));
const ink = (name) => new Color(getComputedStyle(document.documentElement).getPropertyValue(name).trim());

/** The view of a robot that stands as it starts; null where there is no WebGL, without which its page works too. */
export function viewOf(root, host) {
  const box = new Box3().setFromObject(root);
  const radius = box.getSize(new Vector3()).length() / 2 || 1;
  const low = box.min.toArray();
  let [corners, share] = [cornersOf(box), 0.8];
  const paint = () => {
    view.grid.material.color = ink('--ground');
    view.renderer.setClearColor(ink('--panel'), 1); // a video of what is seen through is black
    view.renderer.render(view.scene, view.camera);
  };
  const view = stageOf(host, { centre: box.getCenter(new Vector3()).toArray(), radius, floor: low[2] - 0.002 * radius, base: low, pedestal: 0 }, {
    label: 'The robot; drag to rotate, scroll to zoom',
    paint,
    aim: () => view.look(corners, 'iso', [-share, share, -share, share]),
  });
  if (!view) return null;
  view.grid.material.vertexColors = false;
  view.grid.material.opacity = 0.5;
  root.traverse((node) => { if (node.isMesh) node.castShadow = node.receiveShadow = true; });
  view.scene.add(root);
  view.open();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', view.ask);
  /** Frames a box, such as all that a motion sweeps, until a person turns the view. */
  view.frame = (swept) => { [corners, share] = [cornersOf(swept), 0.95]; view.fit(); };
  view.still = () => { view.draw(); return new Promise((done) => { view.canvas.toBlob(done, 'image/png'); }); };
  return view;
}

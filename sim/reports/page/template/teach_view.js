// The robot of a teach page in three dimensions; the page also works without WebGL.

/** Opens the view of a robot that stands as it starts; null where there is no WebGL. */
export function viewOf(root, host, { light, parts }) {
  const { Box3, Color, NeutralToneMapping, OrbitControls, PCFShadowMap, PerspectiveCamera, Scene, Vector3, WebGLRenderer, UP, ANGLE, VIEWS, addFloor, framed } = parts;
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('webgl2', { antialias: true, preserveDrawingBuffer: true });
  if (!context) return null;
  const renderer = new WebGLRenderer({ canvas, context, antialias: true, preserveDrawingBuffer: true });
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  renderer.toneMapping = NeutralToneMapping;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = PCFShadowMap;
  const box = new Box3().setFromObject(root);
  const [low, high] = [box.min.toArray(), box.max.toArray()];
  const centre = box.getCenter(new Vector3());
  const radius = box.getSize(new Vector3()).length() / 2 || 1;
  const view = { scene: new Scene(), radius, centre };
  light(view);
  addFloor(view, { centre: centre.toArray(), floor: low[2] - 0.002 * radius, base: low, pedestal: 0 });
  view.grid.material.vertexColors = false;
  view.grid.material.opacity = 0.5;
  root.traverse((node) => { if (node.isMesh) node.castShadow = node.receiveShadow = true; });
  view.scene.add(root);
  const camera = new PerspectiveCamera(ANGLE, 1, radius / 100, radius * 40);
  camera.up.copy(UP);
  const controls = new OrbitControls(camera, canvas);
  controls.enableDamping = false;
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0, 1, 2].map((axis) => (k & (1 << axis) ? high : low)[axis]));
  let moved = false; // by a person, whose view then stays

  let asked = null;
  const draw = () => {
    cancelAnimationFrame(asked);
    asked = null;
    const ink = (name) => new Color(getComputedStyle(document.documentElement).getPropertyValue(name).trim());
    view.grid.material.color = ink('--ground');
    renderer.setClearColor(ink('--panel')); // a video of what is seen through is black
    renderer.render(view.scene, camera);
  };
  const ask = () => { asked ??= requestAnimationFrame(draw); };
  const fit = () => {
    const [w, h] = [host.clientWidth, host.clientHeight];
    if (!w || !h) return;
    renderer.setSize(w, h, false);
    camera.aspect = w / h;
    camera.updateProjectionMatrix();
    if (!moved) {
      const toward = new Vector3(...VIEWS.iso).normalize();
      const { target, distance } = framed(corners, toward, w / h, [-0.8, 0.8, -0.8, 0.8]);
      controls.target.copy(target);
      camera.position.copy(target).addScaledVector(toward, distance);
      controls.update();
    }
    ask();
  };
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', 'The robot; drag to rotate, scroll to zoom');
  host.prepend(canvas);
  controls.addEventListener('start', () => { moved = true; });
  controls.addEventListener('change', ask);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ask);
  new ResizeObserver(fit).observe(host);
  fit();
  return { ask, draw, canvas, camera, controls, renderer, scene: view.scene, target: controls.target, radius, isMoved: () => moved, still: () => { draw(); return new Promise((done) => { canvas.toBlob(done, 'image/png'); }); } };
}

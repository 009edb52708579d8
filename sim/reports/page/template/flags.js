// The marks A and B on the tool's path: a ball and a letter each.

import { CanvasTexture, Mesh, MeshBasicMaterial, SphereGeometry, Sprite, SpriteMaterial, SRGBColorSpace } from 'three';

const PIXELS = 20; // of a letter
const seen = { depthTest: false, transparent: true, toneMapped: false };

/** Both marks of a scene, hidden until a time is given to them. */
export function addFlags(scene, radius) {
  const look = new MeshBasicMaterial(seen);
  const ball = new SphereGeometry(0.012 * radius, 16, 12);
  const flags = Object.fromEntries(['a', 'b'].map((name) => {
    const dot = new Mesh(ball, look);
    const letter = new Sprite(new SpriteMaterial({ ...seen, sizeAttenuation: false }));
    letter.center.set(0.5, -0.25);
    dot.renderOrder = letter.renderOrder = 5;
    dot.visible = letter.visible = false;
    scene.add(dot, letter);
    return [name, { dot, letter }];
  }));
  return { look, flags };
}

/** Draws the letters on a disc of the marks' colour. */
export function paintFlags({ look, flags }, colour, ground) {
  look.color.set(colour);
  for (const [name, { letter }] of Object.entries(flags)) {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 64;
    const draw = canvas.getContext('2d');
    draw.fillStyle = colour;
    draw.beginPath();
    draw.arc(32, 32, 30, 0, 7);
    draw.fill();
    draw.fillStyle = ground;
    draw.font = 'bold 42px sans-serif';
    draw.textAlign = 'center';
    draw.textBaseline = 'middle';
    draw.fillText(name.toUpperCase(), 32, 35);
    letter.material.map?.dispose();
    letter.material.map = new CanvasTexture(canvas);
    letter.material.map.colorSpace = SRGBColorSpace;
    letter.material.needsUpdate = true;
  }
}

/** Puts each mark where the tool is at its time. */
export function placeFlags({ flags: { flags }, camera, host }, marks, placeAt, shown) {
  const size = (2 * PIXELS * Math.tan((camera.fov * Math.PI) / 360)) / Math.max(1, host.clientHeight);
  for (const [name, { dot, letter }] of Object.entries(flags)) {
    letter.scale.setScalar(size);
    const t = marks[name];
    dot.visible = letter.visible = shown && t !== null;
    if (!dot.visible) continue;
    placeAt(t, dot.position);
    letter.position.copy(dot.position);
  }
}

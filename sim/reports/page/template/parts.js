// What the teach page and the studio take of three.js and of the view, so that both are bundled once.

export { Box3, BufferGeometry, Euler, Line, LineBasicMaterial, Matrix4, Mesh, MeshStandardMaterial, Raycaster, SphereGeometry, Vector2, Vector3 } from 'three';
export { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
export { viewOf } from './posed_view.js';

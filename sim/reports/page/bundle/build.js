// Bundles the player of the report. `npm ci && npm run build` in this folder, then commit vendor/.
//
// Writes ../template/vendor: player.min.js (clock and plots), uPlot.min.js (charts, a script before
// the player and the studio), robot.min.js (the view in three dimensions, which is five times as
// large and comes second), whatif.min.js (sliders for payload and speed, opened when they come into
// view), teach.min.js (the teach page and the parts of it that the studio shows, which takes
// three.js and the view from robot.min.js, and fflate), uPlot.min.css, the licences of what is bundled, and lock.json with the hashes of the
// bundles, of the sources they were built from and of package-lock.json.

import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const sources = join(here, '..', 'template');
const vendor = join(sources, 'vendor');
const sha256 = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

mkdirSync(vendor, { recursive: true });
const bundles = { 'player.min.js': { entry: 'player.js' }, 'robot.min.js': { entry: 'scene.js', name: 'RobotView' }, 'whatif.min.js': { entry: 'whatif.js', name: 'WhatIf' }, 'teach.min.js': { entry: 'teach.js', name: 'Teaching' } };
for (const [file, { entry, name }] of Object.entries(bundles)) await build({
  entryPoints: [join(sources, entry)],
  outfile: join(vendor, file),
  globalName: name,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  charset: 'ascii',
  legalComments: 'inline',
  nodePaths: [join(here, 'node_modules')],
});
copyFileSync(join(here, 'node_modules', 'uplot', 'dist', 'uPlot.iife.min.js'), join(vendor, 'uPlot.min.js'));
for (const name of ['three', 'uplot', 'fflate']) {
  copyFileSync(join(here, 'node_modules', name, 'LICENSE'), join(vendor, `LICENSE.${name}`));
}
copyFileSync(join(here, 'node_modules', 'uplot', 'dist', 'uPlot.min.css'), join(vendor, 'uPlot.min.css'));

const modules = readdirSync(sources).filter((name) => name.endsWith('.js') && name !== 'loader.js').sort();
const { devDependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const lock = {
  versions: devDependencies,
  bundles: Object.fromEntries([...Object.keys(bundles), 'uPlot.min.js'].map((file) => [file, sha256(join(vendor, file))])),
  sources: Object.fromEntries(modules.map((name) => [name, sha256(join(sources, name))])),
  packages: sha256(join(here, 'package-lock.json')),
};
writeFileSync(join(vendor, 'lock.json'), `${JSON.stringify(lock, null, 2)}\n`);

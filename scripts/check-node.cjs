// Refuses a Node.js that cannot run the service, with one sentence instead of a stack. It runs on any version: first in
// scripts/ensure-built.mjs and in src/bin (src/platform/process/check-node.ts), and last in `npm ci`, since npm
// runs the script `preinstall` of a project only after it has installed the packages.
// The service is CommonJS and Nest's packages are ES modules: `require` loads those from 20.19 and 22.12 on.
const [major, minor] = process.versions.node.split('.').map(Number);
const [needed, first] = major === 21 || major === 22 ? [22, 12] : [20, 19];
if (major < needed || (major === needed && minor < first)) {
  process.stderr.write(
    `This service needs Node ${needed}.${first} or newer; this is ${process.versions.node}. ` +
      'Install a newer one from https://nodejs.org, or with nvm: nvm install\n',
  );
  process.exit(1);
}

import { bundleFunctions } from './bundle-functions.ts';

/*
 * `node infra/bundling/bundle-into.ts FOLDER`. A process of its own: the CDK synthesises without
 * waiting, and esbuild runs plugins only for a caller that waits.
 */
const [, , folder] = process.argv;
if (folder === undefined) throw new Error('Name the folder of the bundles.');
await bundleFunctions(folder);

/** The suites of `npm run e2e -- SUITE`; without one, the stories. */
const SUITES: Readonly<Record<string, () => Promise<unknown>>> = {
  api: () => import('./run-api.ts'),
  aws: () => import('./moto/run.ts'),
  bundles: () => import('./bundles.ts'),
  console: () => import('./console/run.ts'),
  cost: () => import('./cost.ts'),
  guides: () => import('./guides/run.ts'),
  karpenter: () => import('./karpenter/run.ts'),
  lint: () => import('./lint-template.ts'),
  packages: () => import('./packages/run.ts'),
  replay: () => import('./replay/run-replay.ts'),
  scale: () => import('./scale/run.ts'),
};

const [suite = ''] = process.argv.slice(2);
const run = Object.hasOwn(SUITES, suite) ? SUITES[suite] : undefined;
if (run) {
  // A suite reads its own options.
  process.argv.splice(2, 1);
  await run();
} else if (suite === '' || suite.startsWith('-')) {
  await import('./run-stories.ts');
} else {
  process.stderr.write(`There is no suite ${suite}. There are: ${Object.keys(SUITES).join(', ')}.\n`);
  process.exitCode = 2;
}

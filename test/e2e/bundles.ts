import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { BUNDLING } from '../../infra/bundling/bundling.ts';
import { GUARD_ENVIRONMENT, SETUP_ENVIRONMENT } from '../functions/fixture.ts';
import { REPOSITORY } from './lab/repository.ts';
import { percentile } from './scenario.ts';

/**
 * `npm run e2e -- bundles`: prints the size of each function's bundle, its largest packages, and how
 * much longer Node.js takes to load it than an empty module. Both times come from one run and
 * alternate, because the speed of a machine differs between runs.
 */

const RUNS = 9;
const KIB = 1024;
const MAX_MS = 1200;
const MAX_KIB = 2048;
/** The API server waits for this function, so its limits are lower. */
const INTAKE = { name: 'event-intake', ms: 150, kib: 128 } as const;

interface Bundle {
  readonly name: string;
  readonly file: string;
  readonly kib: number;
  /** The largest packages, in KiB of the bundle. */
  readonly filledBy: Readonly<Record<string, number>>;
}

async function bundleAll(folder: string): Promise<readonly Bundle[]> {
  const names = readdirSync(join(REPOSITORY, 'functions')).filter((name) => name !== 'support');
  const { metafile } = await build({
    ...BUNDLING,
    absWorkingDir: REPOSITORY,
    entryPoints: names.map((name) => ({ in: `functions/${name}/handler.ts`, out: name })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    metafile: true,
    logLevel: 'error',
  });
  return names.map((name) => describe(name, folder, metafile));
}

function describe(name: string, folder: string, { outputs }: Metafile): Bundle {
  const bundle = Object.entries(outputs).find(([path]) => path.endsWith(`/${name}.mjs`));
  if (!bundle) throw new Error(`there is no bundle of ${name}`);
  const [, { bytes, inputs }] = bundle;
  return {
    name,
    file: join(folder, `${name}.mjs`),
    kib: toKib(bytes),
    filledBy: packagesIn(inputs),
  };
}

const MAX_PACKAGES = 8;

function packagesIn(
  inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>,
): Readonly<Record<string, number>> {
  const sizes = new Map<string, number>();
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const name = packageOf(path);
    sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput);
  }
  const largest = [...sizes].toSorted(([, a], [, b]) => b - a).slice(0, MAX_PACKAGES);
  return Object.fromEntries(largest.map(([name, bytes]) => [name, toKib(bytes)]));
}

/** Returns the npm package of a file, or our folder, such as `shared/scheduling`. */
function packageOf(path: string): string {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  return name ?? path.split('/').slice(0, 2).join('/');
}

const toKib = (bytes: number): number => Math.round(bytes / KIB);

/** Measures the time from the start to the exit of a Node.js process that only loads `file`. */
async function measureLoadMs(file: string | undefined): Promise<number> {
  const script = file === undefined ? '0' : `await import(${JSON.stringify(pathToFileURL(file).href)})`;
  const start = performance.now();
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${script};process.exit()`], {
    env: {
      ...process.env,
      ...GUARD_ENVIRONMENT,
      ...SETUP_ENVIRONMENT,
      POWERTOOLS_METRICS_NAMESPACE: 'Mortise',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve) => {
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`${file} could not be loaded`);
  return performance.now() - start;
}

async function measure(bundles: readonly Bundle[]): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number[]>();
  for (let run = 0; run < RUNS; run += 1) {
    for (const { name, file } of [{ name: '', file: undefined }, ...bundles]) {
      times.set(name, [...(times.get(name) ?? []), await measureLoadMs(file)]);
    }
  }
  return new Map([...times].map(([name, all]) => [name, percentile(all, 0.5)]));
}

const folder = mkdtempSync(join(tmpdir(), 'mortise-bundles-'));
const bundles = await bundleAll(folder);
const medians = await measure(bundles);
rmSync(folder, { recursive: true });

const bareMs = medians.get('') ?? 0;
const rows = bundles.map(({ name, kib, filledBy }) => {
  const moreMs = Math.round((medians.get(name) ?? 0) - bareMs);
  const limit = name === INTAKE.name ? INTAKE : { ms: MAX_MS, kib: MAX_KIB };
  return { name, kib, moreMs, isWithinLimits: kib <= limit.kib && moreMs <= limit.ms, filledBy };
});
process.stdout.write(`${JSON.stringify({ bareNodeMs: Math.round(bareMs), bundles: rows }, undefined, 2)}\n`);
process.exitCode = rows.every(({ isWithinLimits }) => isWithinLimits) ? 0 : 1;

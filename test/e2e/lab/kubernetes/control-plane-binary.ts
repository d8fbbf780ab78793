import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, REPOSITORY } from '../repository.ts';
import { runCommand } from '../run-command.ts';
import { findGo } from './find-go.ts';

export type Role = 'etcd' | 'apiserver' | 'scheduler' | 'controller-manager' | 'kubectl';

/** Returns how to start a component: a program, and the arguments before its own. */
export type FindPart = (role: Role) => readonly [command: string, ...args: string[]];

const SOURCES = join(REPOSITORY, 'test/e2e/control-plane');
/** The release that the sources name. KUBERNETES_VERSION, such as `v1.35.4`, replaces it. */
const OWN_VERSION = 'v1.36.3';
/** The version of the lab's control plane. */
export const LAB_VERSION = process.env.KUBERNETES_VERSION ?? OWN_VERSION;

/** 36 for `v1.36.3`. */
export const minorOf = (version: string): number => Number(version.split('.')[1]);

const NAMES: Readonly<Record<Role, string>> = {
  etcd: 'etcd',
  apiserver: 'kube-apiserver',
  scheduler: 'kube-scheduler',
  'controller-manager': 'kube-controller-manager',
  kubectl: 'kubectl',
};

/**
 * Finds the components in this order: the folder KUBEBUILDER_ASSETS (envtest stores etcd,
 * kube-apiserver and kubectl there), kubectl on the PATH, the program that we build.
 *
 * @throws Error - a component must be built, and Go is missing and cannot be installed
 */
export async function findControlPlane(say: (line: string) => void, version = LAB_VERSION): Promise<FindPart> {
  const existing = new Map(
    ROLES.flatMap((role) => {
      const path = findProgram(role);
      return path === undefined ? [] : [[role, path] as const];
    }),
  );
  const built = ROLES.every((role) => existing.has(role)) ? '' : await buildControlPlane(say, version);
  return (role) => {
    const path = existing.get(role);
    return path === undefined ? [built, role] : [path];
  };
}

const ROLES: readonly Role[] = ['etcd', 'apiserver', 'scheduler', 'controller-manager', 'kubectl'];

function findProgram(role: Role): string | undefined {
  const assets = process.env.KUBEBUILDER_ASSETS ?? '';
  const folders = role === 'kubectl' ? [assets, ...(process.env.PATH ?? '').split(':')] : [assets];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, NAMES[role]))
    .find((path) => existsSync(path));
}

/**
 * Builds one program with all components and caches it (6 min on 2 cores).
 *
 * @throws Error - Go is missing and cannot be installed
 */
async function buildControlPlane(say: (line: string) => void, version: string): Promise<string> {
  const suffix = version === OWN_VERSION ? '' : `-${version}`;
  const program = join(CACHE, `control-plane-${digestOf(SOURCES)}${suffix}`);
  if (existsSync(program)) return program;

  const go = await findGo(say);
  say(`building the control plane ${version}, once: this takes some minutes`);
  mkdirSync(CACHE, { recursive: true });
  const unfinished = `${program}.${process.pid}`;
  const stamp = `-X k8s.io/component-base/version.gitVersion=${version}`;
  const sources = version === OWN_VERSION ? SOURCES : await rewriteSources(version, go);
  await runCommand({
    command: go,
    args: ['build', '-trimpath', '-ldflags', `-s -w ${stamp}`, '-o', unfinished, '.'],
    cwd: sources,
    timeoutMs: 40 * 60_000,
  });
  // The rename is atomic, so a reader never finds an incomplete program.
  renameSync(unfinished, program);
  return program;
}

/** Copies the sources, so that they require another release of Kubernetes. */
async function rewriteSources(version: string, go: string): Promise<string> {
  const folder = join(CACHE, `control-plane-sources-${version}`);
  cpSync(SOURCES, folder, { recursive: true });
  // Kubernetes publishes its libraries as v0.N for its release v1.N. Go finds what they need.
  const module = readFileSync(join(SOURCES, 'go.mod'), 'utf8')
    .replaceAll(OWN_VERSION, version)
    .replaceAll(OWN_VERSION.replace('v1.', 'v0.'), version.replace('v1.', 'v0.'))
    .replace(/^.*\/\/ indirect\n/gm, '');
  writeFileSync(join(folder, 'go.mod'), module);
  rmSync(join(folder, 'go.sum'), { force: true });
  await runCommand({ command: go, args: ['mod', 'tidy'], cwd: folder, timeoutMs: 20 * 60_000 });
  return folder;
}

function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).toSorted()) {
    hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex').slice(0, 12);
}

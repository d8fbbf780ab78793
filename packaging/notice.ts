import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const packageSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  author: z.unknown().optional(),
});

/** A library that bundles contain. */
export interface Library {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The text of its licence. */
  readonly text: string;
}

/**
 * Lists the libraries that bundles contain, in the order of their folders.
 *
 * @param inputs - paths of the bundled files, relative to `root`
 * @throws Error - a package has no licence file, and the text of its licence is not known here
 */
export async function listLibraries(root: string, inputs: Iterable<string>): Promise<readonly Library[]> {
  const folders = new Set<string>();
  for (const input of inputs) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  return await Promise.all([...folders].sort().map((folder) => describe(join(root, folder))));
}

/** Writes the licences of libraries; those with the same text together. */
export function writeNotice(libraries: readonly Library[]): string {
  const byText = new Map<string, string[]>();
  for (const library of libraries) {
    byText.set(library.text, [...(byText.get(library.text) ?? []), titleOf(library)]);
  }
  const sections = [...byText].map(([text, titles]) => `${titles.join('\n')}\n\n${text.trim()}\n`);
  return `${DATA}\nThis package contains the following libraries.\n\n${sections.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** Facts in the bundles that come from others. */
const DATA = `This package contains data from these sources.

- Instance types, zones, prices and images: public APIs and price lists of Amazon Web Services.
- Further properties of instance types: the catalogue of moto, https://github.com/getmoto/moto, Copyright Steve
  Pulec and contributors, Apache License, Version 2.0: see the file LICENSE.
- Network interfaces and addresses of instance types: amazon-vpc-cni-k8s,
  https://github.com/aws/amazon-vpc-cni-k8s, Copyright Amazon.com, Inc. or its affiliates, Apache License, Version 2.0:
  see the file LICENSE.

Mortise is not affiliated with Amazon Web Services, the Kubernetes project or the Karpenter project. Their names
are marks of their owners.
`;

const titleOf = ({ name, version, license }: Omit<Library, 'text'>): string => `${name} ${version} (${license})`;

async function describe(folder: string): Promise<Library> {
  const { name, version, license, author } = packageSchema.parse(
    JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
  );
  const files = await readdir(folder);
  const texts = files.filter((file) => /^(licen[cs]e|notice|copying)(\.|$)/i.test(file)).sort();
  const library = { name, version, license };
  if (texts.length === 0) {
    return { ...library, text: knownText(titleOf(library), license, author) };
  }
  const contents = await Promise.all(texts.map((file) => readFile(join(folder, file), 'utf8')));
  return { ...library, text: contents.join('\n') };
}

function knownText(title: string, license: string, author: unknown): string {
  if (license === 'Apache-2.0') return 'Apache License, Version 2.0: see the file LICENSE.';
  if (license === 'MIT') return mitLicense(nameOf(author) ?? `the authors of ${title}`);
  if (license === 'MIT-0') return 'MIT No Attribution: see spdx.org/licenses/MIT-0.';
  if (license === 'Unlicense') return 'Released into the public domain: see unlicense.org.';
  throw new Error(`${title} has no licence file, and packaging/notice.ts has no text for it`);
}

function nameOf(author: unknown): string | undefined {
  if (typeof author === 'string') return author;
  return z.object({ name: z.string() }).safeParse(author).data?.name;
}

/** @see spdx.org/licenses/MIT */
const mitLicense = (holder: string): string => `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;

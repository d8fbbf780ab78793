import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../guides/', import.meta.url);

/** What operators' guides recommend, by file: each a whole set of manifests. */
export const GUIDES: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(FOLDER).map((file) => [file, readFileSync(new URL(file, FOLDER), 'utf8')]),
);

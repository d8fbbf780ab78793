import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../guides/', import.meta.url);

/** The manifests of operators' guides, by file. Each file is complete. */
export const GUIDES: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(FOLDER).map((file) => [file, readFileSync(new URL(file, FOLDER), 'utf8')]),
);

import { stringify } from 'yaml';
import { CRDS, CUSTOM_KINDS } from '../../shared/api/custom-resources/crds.ts';
import { PUBLISHED_KINDS } from '../../shared/model/published-events/kinds.ts';
import { eventSchemaText, eventsPage, toEventSchemaPath } from './events-page.ts';
import { keysPage, settingsPage } from './key-pages.ts';
import { referencePage } from './page.ts';

/** A generated file, with its path in the repository. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Returns the files that `npm run generate` writes from the definitions of the API. */
export const generatedFiles = (): readonly GeneratedFile[] => [
  ...CRDS.map((crd) => ({
    path: `manifests/crds/${crd.spec.group}_${crd.metadata.name.split('.')[0] ?? ''}.yaml`,
    // Quoted for YAML 1.1 readers such as kubectl.
    text: stringify(crd, { version: '1.1', lineWidth: 0 }),
  })),
  ...CUSTOM_KINDS.map((kind) => ({
    path: `docs/reference/${kind.singular}.md`,
    text: referencePage(kind),
  })),
  { path: 'docs/reference/keys.md', text: keysPage() },
  { path: 'docs/reference/settings.md', text: settingsPage() },
  { path: 'docs/reference/events.md', text: eventsPage() },
  ...PUBLISHED_KINDS.map((kind) => ({
    path: toEventSchemaPath(kind),
    text: eventSchemaText(kind),
  })),
];

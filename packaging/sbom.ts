import type { Library } from './notice.ts';

/** The package that the bill of materials describes. */
export interface Subject {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/**
 * Writes a bill of materials of the bundled libraries, in CycloneDX 1.6. It contains no time and no
 * random number, so that equal packages have equal ones.
 *
 * @see https://cyclonedx.org/docs/1.6/json
 */
export const buildSbom = (subject: Subject, libraries: readonly Library[]): object => {
  const components = libraries.map((library) => componentOf('library', library));
  const byRef = new Map(components.map((component) => [component['bom-ref'], component]));
  const root = componentOf('application', subject);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: root },
    components: [...byRef.values()],
    dependencies: [{ ref: root['bom-ref'], dependsOn: [...byRef.keys()] }],
  };
};

function componentOf(type: 'application' | 'library', { name, version, license }: Subject) {
  // The scope of a package is percent-encoded in its URL.
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const isExpression = /\s(?:AND|OR|WITH)\s/.test(license);
  const licenses = isExpression ? [{ expression: license }] : [{ license: { id: license } }];
  return { type, 'bom-ref': purl, name, version, licenses, purl };
}

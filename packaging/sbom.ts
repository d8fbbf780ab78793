/** A package by name and version, with its licence as an SPDX identifier or expression. */
export interface Subject {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** A part of a release. */
export interface Component extends Omit<Subject, 'license'> {
  /** Absent if the part itself contains a list of its licences. */
  readonly license?: string;
  /** @see https://github.com/package-url/purl-spec */
  readonly purl: string;
}

/** The scope of an npm package is percent-encoded in its URL. */
export const toNpmComponent = ({ name, version, license }: Subject): Component => ({
  name,
  version,
  license,
  purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
});

/**
 * Writes a bill of materials, in CycloneDX 1.6. It contains no time and no random number, so that equal
 * releases have equal ones.
 *
 * @see https://cyclonedx.org/docs/1.6/json
 */
export const buildSbom = (subject: Subject, components: readonly Component[]): object => {
  const root = describe('application', toNpmComponent(subject));
  const byRef = new Map(components.map((one) => [one.purl, describe('library', one)]));
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

function describe(type: 'application' | 'library', { name, version, license, purl }: Component) {
  const isExpression = /\s(?:AND|OR|WITH)\s/.test(license ?? '');
  const licenses = isExpression ? [{ expression: license }] : [{ license: { id: license } }];
  const listed = license === undefined ? {} : { licenses };
  return { type, 'bom-ref': purl, name, version, ...listed, purl };
}

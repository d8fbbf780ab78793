import type { Component } from '../sbom.ts';
import { ARCHITECTURES, type ImageLock } from './sources.ts';

/**
 * Lists what the image contains besides the npm package. The licences of Debian packages are in their
 * files `copyright` in the image.
 */
export const listImageComponents = ({ suite, sources }: ImageLock): readonly Component[] =>
  ARCHITECTURES.flatMap((architecture) => {
    const { node, debian } = sources[architecture];
    return [
      { ...node, license: 'MIT', purl: `pkg:npm/${node.name}@${node.version}` },
      ...debian.map(({ name, version }) => {
        const qualifiers = `arch=${architecture}&distro=${suite}`;
        const encoded = [name, version].map((part) => encodeURIComponent(part)).join('@');
        return { name, version, purl: `pkg:deb/debian/${encoded}?${qualifiers}` };
      }),
    ];
  });

import type { Labels } from '../../model/labels.ts';
import type { NodeClassState } from '../../model/nodes/drift.ts';
import type { Launch } from '../../model/nodes/node-claim.ts';
import type { NodeImage } from '../../model/nodes/resolved-node-class.ts';
import { matchesLabels, toRequirements } from '../../model/requirements/requirements.ts';

/** The image that a node of such an instance type starts from now. */
export const findNodeImage = (
  { images }: Pick<NodeClassState, 'images'>,
  labels: Labels,
): NodeImage | undefined =>
  images.find(({ requirements }) => matchesLabels(toRequirements(requirements), labels));

/** What a class makes of a node of such a type now: with the image or another field it changes. */
export const computeCurrentVersion = (nodeClass: NodeClassState, labels: Labels): string =>
  formatVersion(findNodeImage(nodeClass, labels)?.id, nodeClass.hash);

/** What it makes of a node of any type. */
export const listCurrentVersions = ({ images, hash }: NodeClassState): readonly string[] =>
  images.map(({ id }) => formatVersion(id, hash));

/** What a node was made from; absent: nobody told. */
export const versionOfLaunch = ({ imageId, nodeClassHash }: Launch): string | undefined =>
  imageId === undefined || nodeClassHash === undefined
    ? undefined
    : formatVersion(imageId, nodeClassHash);

const formatVersion = (imageId = 'no image', hash: string): string => `${imageId}/${hash}`;

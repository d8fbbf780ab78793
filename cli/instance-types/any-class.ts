import type { EC2NodeClass } from '../../shared/model/nodes/node-class.ts';

/** A class without settings, for what does not depend on the class. */
export const ANY_CLASS: EC2NodeClass = {
  name: 'AL2023',
  uid: 'none',
  amiFamily: 'AL2023',
  kubelet: {},
  hash: '',
};

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listVolumeAttachments } from '../../../shared/kubernetes/readers/list-attached-volumes.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import type { RawObject } from '../support/raw-object.ts';

const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments';

const anAttachment = (name: string, nodeName: string, volume?: string): RawObject => ({
  metadata: { name },
  spec: { attacher: 'ebs.csi.aws.com', nodeName, source: { persistentVolumeName: volume } },
});

describe('volumes that a Node holds', () => {
  let double: ApiDouble;
  beforeEach(async () => {
    double = await startApiDouble();
  });
  afterEach(async () => double.close());
  const volumesOf = (node: string) => listVolumeAttachments(connect(double).api, node);

  it('come with the claim behind them', async () => {
    double.put(ATTACHMENTS, anAttachment('csi-1', 'node-1', 'pv-1'));
    double.put('/api/v1/persistentvolumes', {
      metadata: { name: 'pv-1' },
      spec: { claimRef: { namespace: 'shop', name: 'data-0' } },
    });

    expect(await volumesOf('node-1')).toEqual([{ name: 'csi-1', claim: 'shop/data-0' }]);
  });

  it('23.7-101: of another Node are not among them', async () => {
    double.put(ATTACHMENTS, anAttachment('csi-1', 'node-2', 'pv-1'));

    expect(await volumesOf('node-1')).toEqual([]);
  });

  it('23.7-102: without a PersistentVolume are not among them', async () => {
    double.put(ATTACHMENTS, anAttachment('inline', 'node-1'));

    expect(await volumesOf('node-1')).toEqual([]);
  });

  it('whose PersistentVolume is gone are held all the same', async () => {
    double.put(ATTACHMENTS, anAttachment('csi-1', 'node-1', 'pv-gone'));

    expect(await volumesOf('node-1')).toEqual([{ name: 'csi-1' }]);
  });
});

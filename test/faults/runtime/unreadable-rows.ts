import { UnreadableRecordError } from '../../../shared/model/errors.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import type { RecordList, StoredNodeClaim } from '../../../shared/ports/records.ts';

type RowPorts = Pick<Ports, 'nodeClaims' | 'launches' | 'commands' | 'commits' | 'nominations'>;

export type CorruptibleRow = 'NodeClaim' | 'Launch' | 'Command' | 'Commit' | 'Nomination';

/** The row that a kind has only one of in the simulation. */
const ONLY_ROW = 'latest';

/** Names the rows of a kind that can be spoilt. */
export async function listRows(
  { nodeClaims, launches, commands }: RowPorts,
  kind: CorruptibleRow,
): Promise<readonly string[]> {
  switch (kind) {
    case 'NodeClaim':
      return (await nodeClaims.list()).map(({ claim }) => claim.name);
    case 'Launch':
      return (await launches.list()).map(({ record }) => record.id);
    case 'Command':
      return (await commands.list()).map(({ id }) => id);
    case 'Commit':
    case 'Nomination':
      return [ONLY_ROW];
  }
}

export const toRowKey = (kind: CorruptibleRow, name: string): string => `${kind}#${name}`;

/** Spoils the rows whose keys are in `keys`, as the table shows rows that it cannot parse. */
export function withUnreadableRows(
  { nodeClaims, launches, commands, commits, nominations }: RowPorts,
  keys: Set<string>,
): RowPorts {
  function check(kind: CorruptibleRow, name: string): void {
    const key = toRowKey(kind, name);
    if (keys.has(key)) throw new UnreadableRecordError(key, { cause: new Error('spoilt') });
  }
  function setAside<T>(
    kind: CorruptibleRow,
    rows: readonly T[],
    nameOf: (row: T) => string,
  ): RecordList<T> {
    const spoilt = rows.filter((row) => keys.has(toRowKey(kind, nameOf(row))));
    if (spoilt.length === 0) return rows;
    const readable = rows.filter((row) => !spoilt.includes(row));
    const unreadable = spoilt.map((row) => ({ name: nameOf(row), why: 'spoilt' }));
    return Object.assign(readable, { unreadable });
  }
  function checkClaim(stored: StoredNodeClaim | undefined): StoredNodeClaim | undefined {
    if (stored) check('NodeClaim', stored.claim.name);
    return stored;
  }
  /** A write replaces the whole row. */
  const repair = (kind: CorruptibleRow, name: string): boolean => keys.delete(toRowKey(kind, name));

  return {
    nodeClaims: {
      async find(name) {
        check('NodeClaim', name);
        return nodeClaims.find(name);
      },
      findByInstance: async (id) => checkClaim(await nodeClaims.findByInstance(id)),
      findByNode: async (node) => checkClaim(await nodeClaims.findByNode(node)),
      migrate: () => nodeClaims.migrate(),
      list: async () => setAside('NodeClaim', await nodeClaims.list(), ({ claim }) => claim.name),
      async save(claim, expectedVersion) {
        await nodeClaims.save(claim, expectedVersion);
        repair('NodeClaim', claim.name);
      },
    },
    launches: {
      async find(id) {
        check('Launch', id);
        return launches.find(id);
      },
      list: async () => setAside('Launch', await launches.list(), ({ record }) => record.id),
      async save(record, expectedVersion) {
        const isSaved = await launches.save(record, expectedVersion);
        if (isSaved) repair('Launch', record.id);
        return isSaved;
      },
      remove: (id) => launches.remove(id),
    },
    commands: {
      list: async () => setAside('Command', await commands.list(), ({ id }) => id),
      add: (command) => commands.add(command),
      remove: (id) => commands.remove(id),
    },
    commits: {
      async latest() {
        check('Commit', ONLY_ROW);
        return commits.latest();
      },
      async add(commit, expectedEpoch, lease) {
        const isAdded = await commits.add(commit, expectedEpoch, lease);
        if (isAdded) repair('Commit', ONLY_ROW);
        return isAdded;
      },
      close: (epoch) => commits.close(epoch),
    },
    nominations: {
      async list(now) {
        check('Nomination', ONLY_ROW);
        return nominations.list(now);
      },
      nominate: (names, until) => nominations.nominate(names, until),
    },
  };
}

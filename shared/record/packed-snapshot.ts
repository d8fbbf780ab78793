/*
 * How a snapshot is stored.
 *
 * A snapshot of 1,000 nodes is 50 MB of JSON, and the next one differs from it in a few pods. Three
 * steps make it small:
 *
 *   values    objects inside a row (spec, labels, requirements) are written once; the row has their
 *             index, under the name of the field with an @ before it
 *   frames    the rows of one snapshot are a part of their own, the frame. The snapshots after it
 *             name the rows that they share with it as spans [first row, count], and write the others
 *   parts     large fields that seldom change (instance types, prices) are parts as well. A part is
 *             stored once under the SHA-256 of its JSON
 *
 * A snapshot refers to one frame and never to another snapshot, so reading it takes two steps however
 * long the history is.
 */

/** The lists that change from snapshot to snapshot. */
export const TABLE_NAMES = ['pods', 'nodes', 'claims', 'owners', 'podDisruptionBudgets'] as const;
export type TableName = (typeof TABLE_NAMES)[number];

/** The SHA-256 of a part's JSON, in hexadecimal. */
export type PartHash = string;

/** Which account and region; absent: as the SDK finds them. */
export interface AwsFlags {
  readonly region?: string;
  readonly profile?: string;
}

/** What every client of the SDK is made with. */
export const clientSettings = ({ region, profile }: AwsFlags): AwsFlags => ({
  ...(region === undefined ? {} : { region }),
  ...(profile === undefined ? {} : { profile }),
});

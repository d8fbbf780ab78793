/** The user data of a class cannot become a node's. */
export class UserDataError extends Error {
  override readonly name = 'UserDataError';
}

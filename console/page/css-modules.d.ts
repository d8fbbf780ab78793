/** What esbuild makes of a CSS module: local class names by the names that were written. */
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}

/** A style sheet for the whole page; importing it puts it into the bundle. */
declare module '*.css' {}

/** Stands at the beginning of each file of the package: CommonJS packages inside an ES module call `require`. */
export const REQUIRE_BANNER =
  "import{createRequire as createRequireOfPackage}from'node:module';const require=createRequireOfPackage(import.meta.url);";

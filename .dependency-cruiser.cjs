/** Layers of docs/ARCHITECTURE: who may import whom. A rule is changed by a line in docs/decisions.md, never to get a build through. */
const pure = 'diff|yaml|ipaddr\\.js|tokenx';
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-unresolved',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^vscode$' },
    },
    {
      name: 'domain-is-closed',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { pathNot: ['^src/domain/', '^node_modules/(zod|unbash)/', '^(node:)?crypto$'] },
    },
    {
      name: 'agentkit-is-closed',
      severity: 'error',
      from: { path: '^src/agentkit/' },
      to: { path: ['^src/(?!agentkit/)', '^vscode$', '^node_modules/(@types/vscode|ssh2)/'] },
    },
    {
      name: 'agentkit-core-is-bare',
      severity: 'error',
      from: { path: '^src/agentkit/', pathNot: '^src/agentkit/(providers|mcp)/' },
      to: { dependencyTypesNot: ['core', 'local', 'type-only'], pathNot: `^node_modules/(zod|${pure})/` },
    },
    {
      name: 'agentkit-through-its-index',
      severity: 'error',
      from: { path: '^(src/(?!agentkit/)|test/(?!unit/agentkit|integration/agentkit|bench))' },
      to: { path: '^src/agentkit/', pathNot: '^src/agentkit/index\\.ts$' },
    },
    {
      name: 'application-is-pure',
      severity: 'error',
      from: { path: '^src/application/' },
      to: {
        pathNot: [
          '^src/(application|domain)/',
          '^src/agentkit/index\\.ts$',
          '^node_modules/(zod|fuzzysort)/',
          '^(node:)?(crypto|events|util|timers/promises|stream)$',
        ],
      },
    },
    {
      name: 'infrastructure-direction',
      severity: 'error',
      from: { path: '^src/infrastructure/' },
      to: { path: ['^src/(features|platform|webview|extension|runtime|ids)', '^vscode$'] },
    },
    {
      name: 'platform-direction',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: ['^src/(features|infrastructure|webview|extension|runtime)'] },
    },
    {
      name: 'features-direction',
      severity: 'error',
      from: { path: '^src/features/' },
      to: {
        path: [
          '^src/(infrastructure|platform|extension|runtime)',
          '^src/webview/(?!.*/protocol\\.ts$)',
          '^node_modules/ssh2/',
        ],
      },
    },
    {
      name: 'features-do-not-meet',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: { path: '^src/features/', pathNot: '^src/features/$1/' },
    },
    {
      name: 'webview-is-closed',
      severity: 'error',
      from: { path: '^src/webview/' },
      to: { path: ['^src/(?!webview/|domain/)', '^vscode$'] },
    },
    {
      name: 'protocol-stands-alone',
      severity: 'error',
      from: { path: '^src/webview/.*/protocol\\.ts$' },
      to: { pathNot: ['^src/domain/', '^src/webview/.*/protocol\\.ts$'] },
    },
    {
      name: 'editor-at-the-edge',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(features/|platform/|extension\\.ts)' },
      to: { path: ['^vscode$', '^node_modules/@types/vscode/'] },
    },
    {
      name: 'ssh2-in-one-place',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/infrastructure/ssh/' },
      to: { path: '^node_modules/ssh2/' },
    },
    {
      name: 'nobody-imports-the-root',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(extension|runtime)\\.ts$' },
      to: { path: '^src/(extension|runtime)\\.ts$' },
    },
    {
      name: 'runtime-without-editor',
      severity: 'error',
      from: { path: '^src/runtime\\.ts$' },
      to: { path: ['^vscode$', '^src/(features|platform)/'] },
    },
    {
      // Source: ssh.md 8.6, "never handed to agent tools".
      name: 'elevated-files-are-for-people',
      severity: 'error',
      from: { path: '^src/(agentkit|application/(tools|assistant))/' },
      to: { path: '^src/application/(files/elevated|ports/elevation)' },
    },
    { name: 'lab-stays-out', severity: 'error', from: { path: '^src/' }, to: { path: '^(test|scripts)/' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The resolver takes the package of that name for the build script at the top.
    exclude: { path: '^esbuild\\.mjs$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};

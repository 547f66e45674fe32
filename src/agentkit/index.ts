export * from './agentError.ts';
export { AgentRuntime } from './agentRuntime.ts';
export type { AgentRuntimeOptions, IdSource, RunConversation } from './agentRuntimeOptions.ts';
export * from './approval.ts';
export type * from './approvalRules.ts';
export type * from './capture/callCapture.ts';
export * from './capture/outputCollector.ts';
export { ScratchCaptures } from './capture/scratchCaptures.ts';
export type { RunCeilings } from './ceilings.ts';
export type { StandingFact } from './compaction/standingFacts.ts';
export * from './clock.ts';
export * from './codedError.ts';
export { defineTool } from './defineTool.ts';
export * from './events.ts';
export {
  Guardian,
  type GuardianOptions,
  type OpenedReviewer,
  type ReviewedRun,
} from './guardian/guardian.ts';
export { reviewFailureCodes, ReviewFailed, type ReviewFailureCode } from './guardian/reviewFailure.ts';
export {
  riskLevels,
  userAuthorizations,
  type RiskLevel,
  type UserAuthorization,
} from './guardian/verdict.ts';
export type * from './grants.ts';
export * from './hooks.ts';
export * from './ids.ts';
export * from './json.ts';
export * from './lifetime.ts';
export * from './message.ts';
export type * from './messageSearch.ts';
export * from './model.ts';
export { neverAborted } from './neverAborted.ts';
export { readResultText, type Framing } from './output/envelope.ts';
export { OutputProjector } from './output/outputProjector.ts';
export * from './output/projectionPort.ts';
export { projectResult, type ProjectionInput } from './output/projectResult.ts';
export { anthropicModel, type AnthropicOptions } from './providers/anthropic/anthropicMessages.ts';
export { geminiModel, type GeminiOptions } from './providers/gemini/geminiModel.ts';
export { openAiChatModel, type OpenAiChatOptions } from './providers/openai/openaiChat.ts';
export { openAiResponsesModel, type OpenAiResponsesOptions } from './providers/openai/openaiResponses.ts';
export type { NativeSearchOption, ProviderOptions } from './providers/providerOptions.ts';
export { asTurns } from './providers/turnOrder.ts';
export { AnswerCallIds, wireInput } from './providers/wireCalls.ts';
export { blankText, isBlank, userText } from './providers/wireText.ts';
export { callTexts } from './plannedCall.ts';
export { planModeField, type PlanGate } from './planMode.ts';
export * from './policy.ts';
export { createRedactor } from './redaction/createRedactor.ts';
export { createSecretRegistry, KnownSecrets } from './redaction/knownSecrets.ts';
export * from './redactor.ts';
export { withExpiredSecrets } from './secrets/expiredSecrets.ts';
export type * from './secrets/secretBroker.ts';
export type { RunFailureCode } from './runFailure.ts';
export * from './runQuestions.ts';
export * from './runStore.ts';
export * from './schemas.ts';
export { scratchLimits } from './scratch/limits.ts';
export type { LockOwner, LockOwnerPort } from './scratch/lockOwner.ts';
export type { FolderAccess } from './scratch/safeFolder.ts';
export { scratchPath, type ScratchPath } from './scratch/scratchPath.ts';
export type { ScratchEntry, ScratchKind } from './scratch/scratchTree.ts';
export * from './scratch/scratchWorkspace.ts';
export { searchTerms, type SearchTerm } from './searchTerms.ts';
export * from './services.ts';
export type { StreamClocks } from './streamClocks.ts';
export { proposeTitle, type TitleOrder } from './title.ts';
export * from './tool.ts';
export { refuseRedactedMark } from './tools/scratch/redactedMark.ts';
export { contentInput, pathHint as scratchPathHint, scratchPathInput } from './tools/scratch/scratchTool.ts';
export { scratchTools } from './tools/scratch/scratchTools.ts';
export { decodeText } from './tools/scratch/textFile.ts';
export { unifiedDiff } from './tools/scratch/unifiedDiff.ts';
export { SerialQueue } from './serialQueue.ts';
export { keptTasks, type AgentTask, type TaskStatus } from './tools/tasks/agentTask.ts';
export { manageTasksTool, taskTools } from './tools/tasks/manageTasks.ts';
export {
  planningTools,
  presentedPlan,
  presentPlanTool,
  type PresentedPlan,
} from './tools/planning/presentPlan.ts';
export {
  secretConsumers,
  type SecretConsumers,
  type UserSecretPort,
  type UserSecretRequest,
} from './tools/userInteraction/requestUserSecret.ts';
export { userInteractionTools } from './tools/userInteraction/userInteractionTools.ts';
export * from './tools/userInteraction/userQuestion.ts';
export { judgeAddress, type AddressClass, type JudgedAddress } from './tools/web/addressClass.ts';
export { isPage } from './tools/web/mediaType.ts';
export type { WebHeader } from './tools/web/requestHeaders.ts';
export { WebError, type WebErrorCode } from './tools/web/webError.ts';
export * from './tools/web/webPorts.ts';
export { webSearchTool } from './tools/web/webSearch.ts';
export { webTools } from './tools/web/webTools.ts';
export { createToolRegistry, qualifiedName, type ToolRegistry } from './toolRegistry.ts';
export { answeredQuestions, userInputTool, userWords, type UserWords } from './userWords.ts';

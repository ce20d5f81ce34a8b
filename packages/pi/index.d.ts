// What other Pi extensions may import and rely on.

export type PermissionState = "allow" | "ask" | "deny";

/** What the policy says about a surface and a value. */
export interface PermissionCheckResult {
  toolName: string;
  state: PermissionState;
  source: "tool" | "bash" | "mcp" | "skill" | "special" | "default" | "session";
  origin: string | null;
  matchedPattern?: string;
  reason?: string;
  command?: string;
  target?: string;
  floor?: string;
}

/** Text that describes a tool's input in a question; `undefined` declines. */
export type ToolInputFormatter = (input: Record<string, unknown>) => string | undefined;

/** The path that a tool's input names; `undefined` declines. */
export type ToolAccessExtractor = (input: Record<string, unknown>) => string | undefined;

/** What an authorizer link may say; anything else leaves the answer to others. */
export type AuthorizerVerdict = { kind: "allow" } | { kind: "deny"; reason?: string } | { kind: "defer" };

export interface PermissionQuery {
  checkPermission(surface: string, value?: string, agentName?: string): PermissionCheckResult;
  getToolPermission(toolName: string, agentName?: string): PermissionState;
}

export interface AuthorizerLog {
  review(event: string, fields?: Record<string, unknown>): void;
  debug(event: string, fields?: Record<string, unknown>): void;
}

/** A link of the authorizer chain; the configuration's `authorizerChain` puts it to use. */
export type Authorizer = (
  details: Record<string, unknown>,
  query: PermissionQuery,
  log: AuthorizerLog,
) => Promise<AuthorizerVerdict> | AuthorizerVerdict;

export interface PermissionsService {
  checkPermission(surface: string, value?: string, agentName?: string): PermissionCheckResult;
  getToolPermission(toolName: string, agentName?: string): PermissionState;
  isToolFullyDenied(toolName: string): boolean;
  registerToolInputFormatter(toolName: string, formatter: ToolInputFormatter): () => void;
  registerToolAccessExtractor(toolName: string, extractor: ToolAccessExtractor): () => void;
  registerAuthorizer(name: string, authorize: Authorizer): () => void;
  getToolInputFormatter(toolName: string): ToolInputFormatter | undefined;
  getToolAccessExtractor(toolName: string): ToolAccessExtractor | undefined;
}

/** The service of a session; its id comes with `permissions:ready`. */
export function getPermissionsService(sessionId: string): PermissionsService | undefined;

export const PERMISSIONS_READY_CHANNEL: "permissions:ready";
export const PERMISSIONS_UI_PROMPT_CHANNEL: "permissions:ui_prompt";
export const PERMISSIONS_DECISION_CHANNEL: "permissions:decision";

export interface PermissionsReadyEvent {
  sessionId: string | null;
  adjudicatesLocally: boolean;
}

/** Which child asks, where a question was forwarded. */
export interface ForwardedPromptContext {
  requesterAgentName: string | null;
  requesterSessionId: string | null;
}

export interface PermissionUiPromptEvent {
  requestId: string;
  source: "tool_call" | "skill_input" | "skill_read";
  surface: string | null;
  value: string | null;
  agentName: string | null;
  request?: Record<string, unknown>;
  forwarding: ForwardedPromptContext | null;
}

export type PermissionDecisionResolution =
  | "policy_allow"
  | "policy_deny"
  | "session_approved"
  | "infrastructure_auto_allowed"
  | "user_approved"
  | "user_approved_for_session"
  | "user_denied"
  | "auto_approved"
  | "authorizer_allowed"
  | "authorizer_denied"
  | "confirmation_unavailable"
  | "gate_error";

export interface PermissionDecisionEvent {
  requestId: string;
  surface: string;
  value: string;
  result: "allow" | "deny";
  resolution: PermissionDecisionResolution;
  origin: string | null;
  agentName: string | null;
  matchedPattern: string | null;
  forwarding?: ForwardedPromptContext | null;
}

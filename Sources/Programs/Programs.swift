// SPDX-License-Identifier: Apache-2.0

// Nothing is declared here. The target depends on both programs, so that one build makes them side by side:
// `swift build --target Programs`. A product would be built alone.

// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#include "instruction_counter.h"

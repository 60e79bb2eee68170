#include "FuzzEngine.h"

#include "ui/match/field_group.h"

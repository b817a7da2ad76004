// libmosquitto: MQTT 3.1.1 and 5, for what a broker passes on.
#pragma once
#include <mosquitto.h>
#include <mqtt_protocol.h>
